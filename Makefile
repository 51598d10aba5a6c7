# What can be done here. Each target sets up .venv by itself; tools/dev.py says how.
.PHONY: demo test lint tidy bench

demo:    ## scan a small broken data set, explain a log
test:    ## style, types, import order, rules, tests with coverage
lint:    ## all of that without the tests
tidy:    ## format the code, write the generated pages
bench:   ## every benchmark, as ratios

demo test lint tidy bench:
	python3 tools/dev.py $@
