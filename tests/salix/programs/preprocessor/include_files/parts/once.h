#pragma once
static int once = 4;
