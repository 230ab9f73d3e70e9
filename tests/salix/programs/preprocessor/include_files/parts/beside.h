enum { beside = 5 };
