// Serves web/dist on 127.0.0.1, and nothing else.
//   node serve.mjs [PORT]
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const dist = join(dirname(fileURLToPath(import.meta.url)), 'dist');
const TYPES = {
    '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8',
    '.json': 'application/json', '.png': 'image/png', '.gz': 'application/octet-stream',
};

// threads share memory only in pages that are cross-origin isolated
const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp', 'cross-origin-resource-policy': 'same-origin' };

// `heard` is told of every file that is sent, with its size in bytes
export function serve(port = 0, folder = dist, { isolated = true, heard = () => {} } = {}) {
    const server = createServer((request, response) => {
        const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
        const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
        const status = file.startsWith(folder) ? statSync(file, { throwIfNoEntry: false }) : undefined;
        if (!status?.isFile()) { response.writeHead(404).end('not found\n'); return; }
        const etag = `"${status.size.toString(36)}-${Math.round(status.mtimeMs).toString(36)}"`;
        const headers = { 'cache-control': 'no-cache', etag, ...(isolated ? ISOLATED : {}) };
        if (request.headers['if-none-match'] === etag) { response.writeHead(304, headers).end(); return; }
        response.writeHead(200, { ...headers, 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', 'content-length': status.size });
        createReadStream(file).pipe(response);
        heard(path, status.size);
    });
    return new Promise((done) => server.listen(port, '127.0.0.1', () => done(server)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const server = await serve(Number(process.argv[2] ?? 8080));
    console.log(`http://127.0.0.1:${server.address().port}/`);
}
