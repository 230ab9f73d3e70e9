static int there = 0;
