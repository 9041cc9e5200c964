# a thin front of cmake: everything is built under build/

PREFIX ?= /usr/local
PYTHON ?= /usr/bin/python3
JOBS ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
SETUP ?= scripts/setup
MAKEFLAGS += --no-print-directory

configure = cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DVERVE_BENCH=OFF
compile = cmake --build build --parallel $(JOBS)

# tests under the sanitizers, with the kernels of every instruction set (ON), of one (avx2) or of the plain one (OFF, least to
# compile); with the long tests or without; without some checks (null pointers end a program anyway, and so do most objects
# that are too small, under the address sanitizer; alignment and overflow of pointers take a fifth of compiling)
define sanitized
	cmake -S . -B build/sanitize -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1" -DVERVE_TESTS=ON -DVERVE_SOAK=$(2) \
		-DVERVE_EXAMPLES=OFF -DVERVE_WERROR=OFF -DVERVE_SANITIZE=address,undefined -DVERVE_ASSERT_LEVEL=3 \
		-DVERVE_WIDE=$(1) -DVERVE_UNCHECKED=$(3)
	cmake --build build/sanitize --parallel $(JOBS)
	ctest --test-dir build/sanitize --output-on-failure --no-tests=error -j3 -L '^sanitize$$'
endef

comma := ,
unexport MONKEY_SECONDS # only the soak tests play for so long
.PHONY: all demo docs pictures figures test python test-python test-windows test-exports coverage fuzz soak bench install clean help bits-arm bits-wasm web web-serve test-web

all: ## release build: build/verve, build/libverve.*, build/libverve-studio.* (the default)
	@command -v cmake >/dev/null || { echo "cmake is missing: run 'scripts/setup build'" >&2; exit 1; }
	$(configure) -DVERVE_TESTS=OFF
	$(compile)

demo: ## install what a build needs, build, swing a body under two integrators, draw both into build/demo
	$(SETUP) build
	$(MAKE) all
	mkdir -p build/demo
	build/examples/swing build/demo
	build/verve run swing --frames 1000 --out build/demo/small-midpoint --quiet
	build/verve run swing --frames 1000 --out build/demo/backward-euler --method backward-euler --quiet
	build/verve render build/demo/small-midpoint build/demo/backward-euler --curves --from 820 --size 1200x720 \
		--out build/demo/swing.png
	build/verve render build/demo/small-midpoint build/demo/backward-euler --curves --every 8 --size 640x480 \
		--out build/demo/swing.gif
	@echo "the last three seconds: build/demo/swing.png; the movie: build/demo/swing.gif; the curves: build/demo/curves.svg"

docs: all ## the generated pages anew: docs/api.md, the keys of docs/scenes.md, scenes/verve.schema.json
	sh scripts/describe

pictures: demo ## the pictures of README.md and docs/, anew
	$(SETUP) python
	cp build/demo/swing.png docs/swing.png
	build/verve run pile --out build/demo/pile --quiet
	build/verve render build/demo/pile --size 1200x300 --out docs/pile.png
	build/verve run dam-break --out build/demo/dam --frames 60 --quiet
	build/verve render build/demo/dam --size 1200x300 --out docs/fluid.png
	build/verve run docs/models.json --out build/demo/models --quiet
	build/verve render build/demo/models --to 0 --columns 1 --size 1200x420 --label models --out docs/models.png
	for b in 10 1 0.1; do build/verve run buckling-tube --method backward-euler --frames 70 --set bodies.0.material.bending=$$b \
		--out build/demo/tube-$$b --quiet; done
	sh python/stage.sh . build $(PYTHON)
	cd build/demo && PYTHONPATH=../python/stage $(PYTHON) -B ../../python/examples/compare.py && cp compare.png ../../docs/python.png
	build/verve render build/demo/tube-10 build/demo/tube-1 build/demo/tube-0.1 --from 68 --to 68 --size 960x320 \
		--label "bending 10" --label "bending 1" --label "bending 0.1" --out docs/notes/buckling.png

# matplotlib is Debian's, and so must be the interpreter
PYTHON ?= $(shell command -v /usr/bin/python3 || echo python3)

figures: ## every figure and table of the papers, measured: build/figures/report.html; FIG=dinev-05 one, FULL=1 the long set
	$(SETUP) figures
	$(MAKE) all
	$(PYTHON) -B figures/make.py --jobs $(JOBS) $(if $(FULL),--full) $(FIG)

test: ## install what tests need, then all tests: release, sanitizers, same bits, installed copy
	$(SETUP) test
	$(configure) -DVERVE_TESTS=ON -DVERVE_SOAK=OFF
	$(compile)
	ctest --test-dir build --output-on-failure --no-tests=error -j3
	$(call sanitized,avx2,OFF,null$(comma)object-size$(comma)alignment$(comma)pointer-overflow)
	@echo "make test: everything passed (release, sanitizers, same bits, installed copy)"

python: ## the package for Python as a wheel with both libraries, in build/python; installs what that needs
	$(SETUP) python
	$(configure) -DVERVE_TESTS=OFF
	cmake --build build --parallel $(JOBS) --target verve_shared verve_studio_shared
	sh python/stage.sh . build $(PYTHON)
	cd build/python/stage && $(PYTHON) -m build --wheel --no-isolation --outdir .. . > ../wheel.log || { cat ../wheel.log; exit 1; }
	sh python/tests/wheel.sh build/python $(PYTHON)

test-python: ## the tests and examples of the package, and its speed beside C
	$(SETUP) python
	$(configure) -DVERVE_TESTS=OFF
	cmake --build build --parallel $(JOBS) --target verve_shared verve_studio_shared verve_tool
	PYTHON=$(PYTHON) sh python/tests/run.sh . build

# Wine keeps its drive and its talk to itself
wine = WINEPREFIX="$(CURDIR)/build/windows/wine" WINEDEBUG=-all

test-windows: ## build for Windows with mingw-w64; its tests under Wine, bits and records beside those of this machine
	$(SETUP) windows
	$(configure) -DVERVE_TESTS=OFF
	cmake --build build --parallel $(JOBS) --target verve_static verve_tool
	cmake -S . -B build/windows -DCMAKE_TOOLCHAIN_FILE=cmake/windows.cmake -DCMAKE_BUILD_TYPE=Release -DVERVE_TESTS=ON \
		-DVERVE_SOAK=OFF -DVERVE_BENCH=OFF
	$(wine) cmake --build build/windows --parallel $(JOBS)
	$(wine) sh tests/windows/run.sh . build build/windows
	$(wine) ctest --test-dir build/windows --output-on-failure --no-tests=error -j2
	@echo "make test-windows: everything passed"

test-exports: ## files of and for other programs: Gmsh, TetGen, FreeFem, Blender, OpenUSD, three.js ...; installs them
	$(SETUP) exports
	$(configure) -DVERVE_TESTS=ON -DVERVE_SOAK=OFF
	$(compile)
	sh tests/mesh/foreign.sh build/verve
	sh tests/exports/record.sh build/tests/record_scene build/exports build/verve
	@echo "make test-exports: everything agreed"

coverage: ## lines that the tests run, by room; fails if a room of the library is below 95 %
	$(SETUP) coverage
	cmake -S . -B build/coverage -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG="-O1 --coverage -fprofile-update=atomic" \
		-DVERVE_TESTS=ON -DVERVE_SOAK=OFF -DVERVE_BENCH=OFF -DVERVE_EXAMPLES=OFF -DVERVE_WERROR=OFF -DVERVE_ASSERT_LEVEL=1
	cmake --build build/coverage --parallel $(JOBS)
	sh tests/coverage/run.sh . build/coverage

fuzz: ## every reader against random files, SECONDS each (default 60), or RUNS executions each
	$(SETUP) test
	$(MAKE) all
	RUNS=$(RUNS) sh tests/fuzz/run.sh $(or $(SECONDS),60)

soak: export VERVE_WHOLE = 1
soak: ## the long tests, minutes to hours; MONKEY_SECONDS of random calls (default 600)
	$(SETUP) test
	$(configure) -DVERVE_TESTS=ON -DVERVE_SOAK=ON
	$(compile)
	sh tests/bits/run.sh . build all
	$(call sanitized,ON,ON,)
	MONKEY_SECONDS=$(or $(MONKEY_SECONDS),600) ctest --test-dir build/sanitize --verbose --no-tests=error -L '^soak$$'
	sh tests/threads/run.sh . build all
	sh tests/tool/scenes.sh build/verve .
	python3 -B tests/tool/substeps.py build/verve .
	python3 -B tests/scene/random_scenes.py build/sanitize/verve --seconds $(or $(SECONDS),1800) --limit 600 \
		--keep build/random-scenes
	MONKEY_SECONDS=$(or $(MONKEY_SECONDS),600) ctest --test-dir build --output-on-failure --no-tests=error -j2 -L '^soak$$'
	ctest --test-dir build --output-on-failure --no-tests=error -j2 \
		-R '^(world_(solid_modulus|swept_constraints|cluster|damping)|contact_(slopes|resting_reference)|fluid_bodies|rigid_soft_face|tool_check)$$'
	@echo "make soak: everything passed"

bench: ## install what it needs, then time frames and matrices beside Eigen, CHOLMOD and Bullet, tets beside TetGen; BENCH="--row cloth" for options
	$(SETUP) bench
	$(configure) -DVERVE_TESTS=OFF -DVERVE_BENCH=ON
	$(compile)
	build/bench/verve-bench $(BENCH)
	build/bench/verve-small-steps
	build/bench/verve-threads
	build/bench/verve-worlds
	build/bench/verve-rigid
	build/bench/verve-skins
	build/bench/verve-fluid
	python3 bench/tetgen.py build/verve

bits-arm: ## the same bits on ARM, under emulation
	$(SETUP) arm
	sh tests/bits/arm.sh .

bits-wasm: ## the same bits in WebAssembly, with and without its vectors
	$(SETUP) wasm
	sh tests/bits/wasm.sh .

# Emscripten of Debian: its cache is frozen, and it looks for node modules where Debian keeps them
emscripten = NODE_PATH=/usr/share/nodejs cmake
wasm_options = -DCMAKE_TOOLCHAIN_FILE=/usr/share/emscripten/cmake/Modules/Platform/Emscripten.cmake -DCMAKE_BUILD_TYPE=Release \
	-DVERVE_TOOL=OFF -DVERVE_EXAMPLES=OFF -DVERVE_INSTALL=OFF -DVERVE_PNG=OFF -DVERVE_GIF=OFF -Wno-dev

web: ## the page in the browser: web/dist, static files
	$(SETUP) web
	$(configure) -DVERVE_TESTS=OFF
	cmake --build build --parallel $(JOBS) --target verve_tool
	$(emscripten) -S . -B build/wasm $(wasm_options)
	$(emscripten) --build build/wasm --parallel $(JOBS) --target verve_web
	cd web && npm ci --ignore-scripts --no-audit --no-fund --silent && npm run --silent check
	node web/build.mjs build

web-serve: ## serves web/dist on 127.0.0.1:8080, or PORT
	@test -f web/dist/index.html || { echo "the page is not built: run 'make web'" >&2; exit 1; }
	node web/serve.mjs $(or $(PORT),8080)

# tests that run under node: all of them, or those whose names match
WASM_TESTS ?= .

test-web: web ## the page in Chromium, the engine beside the native one, tests of the library under node (WASM_TESTS)
	$(SETUP) test-web
	node web/test/engine.mjs build
	$(emscripten) -S . -B build/wasm $(wasm_options) -DVERVE_TESTS=ON
	sh web/test/library.sh build/wasm '$(WASM_TESTS)'
	node web/test/page.mjs
	@echo "make test-web: everything passed"

install: ## build, then install under PREFIX (default /usr/local); DESTDIR is honoured
	@command -v cmake >/dev/null || { echo "cmake is missing: run 'scripts/setup build'" >&2; exit 1; }
	$(configure) -DVERVE_TESTS=OFF -DCMAKE_INSTALL_PREFIX="$(PREFIX)"
	$(compile)
	DESTDIR="$(DESTDIR)" cmake --install build
	@test -n "$(DESTDIR)" || test "$$(id -u)" -ne 0 || ! command -v ldconfig >/dev/null || ldconfig # finds the library in /usr/local/lib

clean: ## remove build/
	rm -rf build

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /make \1 - /p' Makefile
	@echo "variables: PREFIX, DESTDIR, JOBS, CC, BENCH, SECONDS, FIG, FULL; SETUP=true skips the package check of demo, test, soak and bench"
