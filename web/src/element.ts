// <verve-scene src="scene.json">: a scene in any page, by one script tag. The page of this folder runs in a frame, which
// keeps its styles and keys apart from those around it.
//
//   src      a scene file, fetched by the page around it; its meshes must be shapes of the library
//   scene    or the name of one of the gallery
//   set      words as of `verve run --set`, one per line
//   theme    light or dark; default: the system's
//   paused   it waits for a click
import { writeAddress } from './address';

const base = new URL('.', (document.currentScript as HTMLScriptElement).src).href;

class VerveScene extends HTMLElement {
    static observedAttributes = ['src', 'scene', 'set', 'theme', 'paused'];

    connectedCallback() { void this.show(); }
    attributeChangedCallback() { if (this.isConnected) void this.show(); }

    private async show() {
        const source = this.getAttribute('src'), scene = this.getAttribute('scene');
        const sets = (this.getAttribute('set') ?? '').split('\n').map((line) => line.trim()).filter((line) => line !== '');
        if (!source && !scene) return;
        let text: string | null = null;
        if (source) {
            const answer = await fetch(new URL(source, document.baseURI)).catch(() => null);
            if (!answer?.ok) { this.textContent = `The scene ${source} cannot be read.`; return; }
            text = await answer.text();
        }
        const query = new URLSearchParams({ embed: '1' });
        for (const name of ['theme', 'paused']) if (this.hasAttribute(name)) query.set(name, this.getAttribute(name) || '1');
        const frame = document.createElement('iframe');
        frame.src = new URL(`index.html?${query}${await writeAddress({ scene, text, sets, beside: null })}`, base).href;
        frame.title = this.getAttribute('title') ?? scene ?? 'a scene of Verve';
        frame.style.cssText = 'border:0;width:100%;height:100%;display:block';
        if (getComputedStyle(this).display === 'inline') Object.assign(this.style, { display: 'block', aspectRatio: '16 / 10' });
        this.replaceChildren(frame);
    }
}

customElements.define('verve-scene', VerveScene);
