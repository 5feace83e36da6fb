/** Small pieces of the reference page: inline code, tables, code blocks. */
import { html, type Markup } from '../pages/html.ts'
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

/** The same example in several languages, of which the page shows the one that is chosen at its top. */
export function samples(name: string, texts: Record<string, string>): Markup {
  const shown = LANGUAGES.filter(({ id }) => texts[id] !== undefined)
  return html`<div class="samples">
    ${shown.map(
      ({ id, label }) => html`<figure class="code" data-language=${id}>
        <figcaption>${label}</figcaption>
        <pre tabindex="0" aria-label=${`Example in ${label}`} data-sample=${`${name}.${id}`}><code>${texts[id]}</code></pre>
      </figure>`,
    )}
  </div>`
}

/** A section with a heading that can be linked to. */
export function section(id: string, title: string, content: Markup | Markup[]): Markup {
  return html`<section id=${id} aria-labelledby=${`${id}-title`}>
    <h2 id=${`${id}-title`}><a href=${`#${id}`}>${title}</a></h2>
    ${content}
  </section>`
}
