// Before the first picture: the theme that was chosen, or the system's; within another page nothing but the stage. A file
// of its own because the page of `verve view` runs no script that stands in it.
const asked = new URLSearchParams(location.search), root = document.documentElement;
const chosen = asked.get('theme') ?? (asked.has('embed') ? null : localStorage.getItem('theme'));
root.dataset.theme = chosen ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
root.classList.toggle('embed', asked.has('embed'));

export {};
