// The module that Emscripten writes from web/front/front.c; build.mjs says where it lies.
declare module 'engine-module' {
    interface Module {
        HEAPU8: Uint8Array;
        _frontOpen(threads: number): number;
        _frontInbox(size: number): number;
        _frontReceive(binary: number, size: number): void;
        _frontAdvance(seconds: number, budget: number): number;
    }
    interface Options { wasmBinary: ArrayBuffer; send(binary: number, pointer: number, size: number): void }
    export default function create(options: Options): Promise<Module>;
}

declare module '*.css';
