/** The channel settings as one HTML file that can be sent by mail. The file has no script and loads nothing. */
import { html } from 'htm/preact'
import { render } from 'preact-render-to-string'
import type { ChannelProduct, ChannelSettings } from '../channels/settings.ts'

type Settings = Omit<ChannelSettings, 'products'> & {
  products: (ChannelProduct & { price: string })[]
  installPage: string
  snippets: { platform: string; code: string }[]
}

const STYLE = `:root { color-scheme: light dark }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
table { width: 100%; border-collapse: collapse }
th, td { padding: .4rem .8rem .4rem 0; border-bottom: 1px solid; text-align: start; vertical-align: top }
pre { padding: 1rem; border: 1px solid; overflow-x: auto }`

/** Rendering escapes every text. */
export function settingsDocument(settings: Settings): string {
  const { merchantName, publicKey, script, origins, returnUrl, policy, products, installPage, snippets } =
    settings
  const facts: [string, string][] = [
    ['Install page', installPage],
    ['Public key', publicKey],
    ['Script, pinned', script.pinned?.scriptUrl ?? 'not built'],
    ['Integrity', script.pinned?.integrity ?? 'not built'],
    ['Script, moving', script.moving],
    ['Allowed origins', origins.join(', ')],
    ['Return URL', returnUrl ?? 'none: each page sets its own'],
    ...Object.entries(policy),
  ]
  const document = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="robots" content="noindex" />
      <title>${`Channel settings: ${merchantName}`}</title>
      <style>${STYLE}</style>
    </head>
    <body>
      <h1>${`Channel settings: ${merchantName}`}</h1>
      <p>Nothing here is secret. Tokens and callback secrets stay in the merchant’s back end.</p>
      <table>
        ${facts.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}
      </table>
      <h2>Products</h2>
      <table>
        <tr><th scope="col">Product</th><th scope="col">Name</th><th scope="col">Price</th><th scope="col">Pay link</th></tr>
        ${products.map(({ id, name, price, payUrl }) => html`<tr><td>${id}</td><td>${name}</td><td>${price}</td><td>${payUrl}</td></tr>`)}
      </table>
      ${snippets.map(({ platform, code }) => html`<h2>${platform}</h2><pre><code>${code}</code></pre>`)}
    </body>
  </html>`
  return `<!doctype html>${render(document)}`
}
