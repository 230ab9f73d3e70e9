#pragma once
/* There is no floating point here. This file is for programs that include it from habit. */
