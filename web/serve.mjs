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

export function serve(port = 0, folder = dist) {
    const server = createServer((request, response) => {
        const path = normalize(decodeURIComponent(new URL(request.url, 'http://localhost').pathname));
        const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
        const status = file.startsWith(folder) ? statSync(file, { throwIfNoEntry: false }) : undefined;
        if (!status?.isFile()) { response.writeHead(404).end('not found\n'); return; }
        response.writeHead(200, {
            'content-type': TYPES[extname(file)] ?? 'application/octet-stream', 'content-length': status.size, 'cache-control': 'no-cache',
            'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp',
        });
        createReadStream(file).pipe(response);
    });
    return new Promise((done) => server.listen(port, '127.0.0.1', () => done(server)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const server = await serve(Number(process.argv[2] ?? 8080));
    console.log(`http://127.0.0.1:${server.address().port}/`);
}
