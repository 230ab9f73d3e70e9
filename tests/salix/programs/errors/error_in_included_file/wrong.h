int right;
int wrong = nothing;
