/**
 * How each platform inserts a pasted snippet into the page that buyers see: the markup around it, and the changes to
 * its text.
 */
import type { Page } from '@playwright/test'

type Place = (snippet: string) => string

const pageWith = (head: string, body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Shop</title>${head}</head><body>${body}</body></html>`

/** Old themes style every button and paragraph. */
const THEME = `<style>
  button { background: #111; border-radius: 0; text-transform: uppercase }
  p { margin: 0 0 1.5em; line-height: 1.9 }
  a { text-decoration: underline }
</style>`

/**
 * Themes since Twenty Twenty-One limit the width of each child of the content and centre it by its margins. Both do nothing for a
 * child that is inline, so it stands at the edge of the window.
 */
const COLUMN = `<style>
  body { margin: 0 }
  .entry-content > * { max-width: 500px; margin-left: auto !important; margin-right: auto !important }
</style>`

export const PLACES: Record<string, Place> = {
  html: (snippet) => pageWith('', `<h1>Tea</h1>\n${snippet}\n<p>Postage is included.</p>`),
  script: (snippet) => pageWith('', `<h1>Tea</h1><div>${snippet}</div>`),
  /** The block editor does not change an HTML block. */
  wordpress: (snippet) =>
    pageWith(
      THEME + COLUMN,
      `<div class="wp-site-blocks"><main class="wp-block-group"><div class="entry-content wp-block-post-content"><p data-testid="text">Tea from the highlands.</p>\n\n${snippet}\n\n</div></main></div>`,
    ),
  /** A page builder or the classic editor adds paragraphs and line breaks. */
  'wordpress, filtered': (snippet) =>
    pageWith(THEME, `<div class="entry-content">${asParagraph(snippet)}</div>`),
  tilda: (snippet) =>
    pageWith(
      '',
      `<div id="allrecords" class="t-records"><div id="rec1" class="r t-rec" data-animationappear="off" data-record-type="131"><!-- T123 --><div class="t123"><div class="t-container_100"><div class="t-width t-width_100"><!-- nominify begin -->${snippet}<!-- nominify end --></div></div></div></div></div>`,
    ),
  shopify: (snippet) =>
    pageWith(
      THEME,
      `<main><section id="shopify-section-template__custom_liquid" class="shopify-section section"><div class="color-scheme-1 gradient"><div class="section-template__custom_liquid-padding">${snippet}</div></div></section></main>`,
    ),
  webflow: (snippet) => pageWith('', `<section><div class="w-embed w-script">${snippet}</div></section>`),
}

/** Puts everything into a paragraph, with a break for each new line outside of tags and styles. */
function asParagraph(snippet: string): string {
  const parts = snippet.split(/(<style>[\s\S]*?<\/style>|<[^>]*>)/)
  const text = parts.map((part) => (part.startsWith('<') ? part : part.replaceAll('\n', '<br />\n')))
  return `<p>${text.join('')}</p>`
}

/** Does what Wix does with the fields of a custom element: its script creates the element and loads the server's script. */
export async function placeAsWix(
  page: Page,
  fields: string,
  type: 'module' | 'text/javascript',
): Promise<void> {
  const read = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(fields)?.[1] ?? ''
  const attributes = [...fields.matchAll(/^ {2}([a-z-]+): (.*)$/gm)].map(([, name, value]) => [name, value])
  await page.evaluate(
    ({ url, tag, attributes, type }) => {
      const element = document.createElement(tag)
      document.querySelector('#comp-1')?.append(element)
      for (const [name = '', value = ''] of attributes) element.setAttribute(name, value)
      document.head.append(Object.assign(document.createElement('script'), { src: url, type }))
    },
    { url: read('Server URL'), tag: read('Tag Name'), attributes, type } as {
      url: string
      tag: string
      attributes: string[][]
      type: string
    },
  )
}
