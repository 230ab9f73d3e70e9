#pragma once
#define noreturn _Noreturn
