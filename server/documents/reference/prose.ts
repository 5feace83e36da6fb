/** Small parts of the documentation's pages: inline code, tables, code blocks, examples. */
import { html, type Markup } from '../../pages/html.ts'
import { LANGUAGES } from './samples.ts'

/** A sentence in which `backticks` mark code. */
export function prose(text: string): Markup {
  const parts = text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))
  return html`<span>${parts}</span>`
}

export const paragraphs = (...texts: string[]): Markup =>
  html`${texts.map((text) => html`<p>${prose(text)}</p>`)}`

export function table(headings: string[], rows: (string | Markup)[][]): Markup {
  const plain = headings.map((heading) => heading.replaceAll('`', ''))
  const cell = (content: string | Markup) => (typeof content === 'string' ? prose(content) : content)
  return html`<div class="table" tabindex="0" role="group" aria-label=${plain.join(', ')}>
    <table>
      <thead><tr>${headings.map((heading) => html`<th scope="col">${prose(heading)}</th>`)}</tr></thead>
      <tbody>${rows.map((row) => html`<tr>${row.map((each, index) => html`<td data-label=${plain[index]}>${cell(each)}</td>`)}</tr>`)}</tbody>
    </table>
  </div>`
}

export function codeBlock(text: string, label: string): Markup {
  return html`<figure class="code">
    <figcaption>${label}</figcaption>
    <pre tabindex="0" aria-label=${label}><code>${text}</code></pre>
  </figure>`
}

/**
 * An example in the language that the reader chose, with links to the same page in the other languages. If it is not written
 * in that language, the first one stands in.
 */
export function sampleFigure(name: string, texts: Record<string, string>, language: string): Markup {
  const written = LANGUAGES.filter(({ id }) => texts[id] !== undefined)
  const shown = written.find(({ id }) => id === language) ?? written[0]
  if (!shown) return null
  const id = `${name}-example`
  return html`<figure class="code samples" id=${id}>
    <figcaption>
      <ul aria-label="Language of the example">
        ${written.map(
          (each) =>
            html`<li><a href=${`?in=${each.id}#${id}`} aria-current=${each === shown ? 'true' : null}>${each.label}</a></li>`,
        )}
      </ul>
    </figcaption>
    <pre tabindex="0" aria-label=${`Example in ${shown.label}`} data-sample=${`${name}.${shown.id}`}><code>${texts[shown.id]}</code></pre>
  </figure>`
}
