// Runs a standalone WebAssembly program: the few system calls that printing and measuring time need, and no more.
//   node wasm.mjs <program.wasm>
import { readFileSync, writeSync } from 'node:fs';

let memory;

const system = {
    clock_time_get(clock, precision, result) {
        new DataView(memory.buffer).setBigUint64(result, process.hrtime.bigint(), true);
        return 0;
    },
    fd_write(file, parts, count, written) {
        const view = new DataView(memory.buffer);
        let total = 0;
        for (let i = 0; i < count; ++i) {
            const start = view.getUint32(parts + 8 * i, true), size = view.getUint32(parts + 8 * i + 4, true);
            for (let done = 0; done < size;)
                done += writeSync(file, new Uint8Array(memory.buffer, start + done, size - done));
            total += size;
        }
        view.setUint32(written, total, true);
        return 0;
    },
    fd_close: () => 0,
    proc_exit: (code) => process.exit(code),
    emscripten_notify_memory_growth: () => {},
};

// what else is imported is there to be linked, not to be called
const imports = {};
const compiled = await WebAssembly.compile(readFileSync(process.argv[2]));
for (const { module, name } of WebAssembly.Module.imports(compiled)) {
    const missing = () => { throw new Error(`the program calls ${name}, which this loader lacks`); };
    imports[module] ??= {};
    imports[module][name] = system[name] ?? missing;
}
const { exports } = await WebAssembly.instantiate(compiled, imports);
memory = exports.memory;
exports._start();
