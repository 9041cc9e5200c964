// The engine as the rest of the page sees it: a Worker with the WebAssembly module, or the tool behind a WebSocket.
import { Answer, Binary, Kind, Request, Section, bytes, readBinary, text, writeUpload } from './protocol';

export type Did = Extract<Answer, { type: 'did' }>;
export class EngineError extends Error {
    constructor(message: string, readonly remedy: string, readonly of: string) { super(message); }
}

interface Carrier { send(data: string | ArrayBuffer): void; close(): void }

let module: Promise<ArrayBuffer> | undefined; // fetched once, for any number of engines

// packed: no server has to be told to do that, and it is a third of the size
async function fetchModule(base: string): Promise<ArrayBuffer> {
    const answer = await fetch(new URL('engine.wasm.gz', base));
    if (!answer.ok || !answer.body) throw new Error(`engine.wasm.gz: ${answer.status}`);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    if (bytes[0] !== 0x1f) return bytes.buffer; // a server has unpacked it on the way
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
}

function workerCarrier(base: string, receive: (data: string | ArrayBuffer) => void): Carrier {
    const worker = new Worker(new URL('worker.js', base));
    worker.onmessage = (event) => receive(event.data);
    module ??= fetchModule(base);
    module.then((wasm) => worker.postMessage({ wasm }), (error) => receive(JSON.stringify({
        type: 'error', of: 'start', code: 'no engine', message: String(error), remedy: 'build the page with make web',
    })));
    return { send: (data) => worker.postMessage(data), close: () => worker.terminate() };
}

function socketCarrier(address: string, receive: (data: string | ArrayBuffer) => void): Carrier {
    const socket = new WebSocket(address), waiting: (string | ArrayBuffer)[] = [];
    socket.binaryType = 'arraybuffer';
    socket.onmessage = (event) => receive(event.data);
    socket.onopen = () => waiting.splice(0).forEach((data) => socket.send(data));
    socket.onclose = () => receive(JSON.stringify({
        type: 'error', of: 'connection', code: 'closed', message: 'the engine has gone', remedy: "start 'verve view' again",
    }));
    return {
        send: (data) => (socket.readyState === WebSocket.OPEN ? socket.send(data) : waiting.push(data)),
        close: () => socket.close(),
    };
}

export class Engine {
    onAnswer: (answer: Answer) => void = () => {};
    onShapes: (shapes: Binary) => void = () => {};
    onFrame: (frame: Binary) => void = () => {};
    onFile: (name: string, content: Uint8Array) => void = () => {};

    private carrier: Carrier;
    private next = 1;
    private open = new Map<number, { done(did: Did): void; failed(error: EngineError): void }>();
    private uploads: { done(): void; failed(error: EngineError): void }[] = [];

    // `address`: of a WebSocket; none: a Worker from files beside `base`
    constructor(base: string, address?: string) {
        const receive = (data: string | ArrayBuffer) => (typeof data === 'string' ? this.hear(JSON.parse(data)) : this.see(readBinary(data)));
        this.carrier = address ? socketCarrier(address, receive) : workerCarrier(base, receive);
    }

    close() { this.carrier.close(); }

    tell(request: Request) { this.carrier.send(JSON.stringify(request)); }

    ask(request: Request): Promise<Did> {
        const id = this.next++;
        return new Promise((done, failed) => {
            this.open.set(id, { done, failed });
            this.tell({ ...request, id });
        });
    }

    upload(name: string, content: Uint8Array): Promise<void> {
        return new Promise((done, failed) => {
            this.uploads.push({ done, failed });
            this.carrier.send(writeUpload(name, content));
        });
    }

    private hear(answer: Answer) {
        if (answer.type === 'did' || answer.type === 'error') {
            const error = answer.type === 'error' ? new EngineError(answer.message, answer.remedy, answer.of) : undefined;
            const upload = answer.of === 'upload' ? this.uploads.shift() : undefined;
            const waiting = answer.id !== undefined ? this.open.get(answer.id) : undefined;
            if (answer.id !== undefined) this.open.delete(answer.id);
            if (upload) { if (error) upload.failed(error); else upload.done(); return; }
            if (waiting) { if (error) waiting.failed(error); else waiting.done(answer as Did); return; }
        }
        this.onAnswer(answer);
    }

    private see(binary: Binary) {
        if (binary.kind === Kind.FRAME) {
            this.onFrame(binary);
            this.tell({ type: 'got' });
        } else if (binary.kind === Kind.SHAPES) this.onShapes(binary);
        else if (binary.kind === Kind.FILE) {
            const name = binary.parts.find((part) => part.type === Section.TEXT);
            const content = binary.parts.find((part) => part.type === Section.BYTES);
            if (name && content) this.onFile(text(binary, name), bytes(binary, content));
        }
    }
}
