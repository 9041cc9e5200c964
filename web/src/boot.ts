// Unpacks the bundle of the page and runs it.
import { fetchPacked } from './packed';

fetchPacked(new URL('main.js.gz', document.baseURI))
    .then((bundle) => import(URL.createObjectURL(new Blob([bundle], { type: 'text/javascript' }))))
    .catch((error) => { document.getElementById('cards')!.textContent = String(error); });
