/** The frame of a simulated provider's pages for buyers: plain forms that work without scripts. */

export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** `body`: markup, with its texts escaped already. */
export const frame = (title: string, body: string) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>
body{font:16px/1.5 system-ui,sans-serif;background:#f6f8fa;color:#1a1f36;margin:0}
main{max-width:26rem;margin:2rem auto;padding:1.5rem;background:#fff;border:1px solid #d8dee4;border-radius:8px}
button{display:block;width:100%;padding:.6rem;margin:.4rem 0;font:inherit;text-align:left;border:1px solid #a3acb9;border-radius:6px;background:#fff}
[role=alert]{color:#a41c4e}h1{font-size:1.3rem;margin:0}p{margin:.5rem 0}
</style></head><body><main>${body}</main></body></html>`
