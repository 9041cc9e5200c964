// A browser with the page in it, for the tests.
import { chromium } from 'playwright-core';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '../serve.mjs';

const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

export async function start(options = {}) {
    const server = await serve(0, options.folder, options);
    const context = await chromium.launchPersistentContext(mkdtempSync(join(tmpdir(), 'verve-web-')), {
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true, args: ARGUMENTS, viewport: { width: 1280, height: 800 },
        acceptDownloads: true, ...options.context,
    });
    const base = `http://127.0.0.1:${server.address().port}/`;
    const faults = [];
    async function open(path = '') {
        const page = await context.newPage();
        page.setDefaultTimeout(120000);
        page.on('pageerror', (error) => faults.push(String(error)));
        page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
        await page.goto(base + path);
        return page;
    }
    async function close() { await context.close(); server.close(); }
    return { open, close, base, faults, context };
}

// waits until a scene is on the stage and its first frame is there
export async function loaded(page) {
    await page.waitForFunction(() => window.verve?.panes[0]?.row && window.verve.panes[0].stage.drawn > 0, undefined, { timeout: 120000 });
}
