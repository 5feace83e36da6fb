/**
 * Turns a Markdown file into a part of a page. The library only parses the file. Every element is written by our own `html`,
 * which escapes all text. So raw HTML in a file appears as text and never becomes markup.
 */
import { lexer, type MarkedToken, type Token } from 'marked'
import { html, type Markup } from '../pages/html.ts'
import { codeBlock, table } from './reference/prose.ts'

/**
 * Returns the address of the file's link on this server. Returns null if it is not served. Then only the link's text is shown.
 */
export type Resolve = (href: string) => string | null

export type Heading = { id: string; text: string; depth: number }
export type MarkdownText = {
  /** The text of the first heading. */
  title: string
  /** Words for the search that are not shown: the comment `keywords:` of the file. */
  keywords: string
  /** The text of the first paragraph. */
  summary: string
  headings: Heading[]
  /** The first paragraph. */
  lead: Markup
  /** Everything after the first heading and the first paragraph. */
  body: Markup
}

type Reading = { resolve: Resolve; headings: Heading[]; ids: Set<string> }

const LANGUAGES: Record<string, string> = {
  sh: 'Shell',
  js: 'JavaScript',
  ts: 'TypeScript',
  html: 'HTML',
  json: 'JSON',
  python: 'Python',
  php: 'PHP',
  http: 'HTTP',
  sql: 'SQL',
  yaml: 'YAML',
  text: 'Text',
  mermaid: 'Mermaid',
}

const KEYWORDS = /^<!-- keywords: (.*) -->$/m

/** Comments for authors of the file, such as that it is generated. */
const COMMENT = /^<!--[\s\S]*-->\s*$/

export function readMarkdown(text: string, resolve: Resolve): MarkdownText {
  const tokens = lexer(text.replace(KEYWORDS, '')) as MarkedToken[]
  const title = tokens.find((token) => token.type === 'heading')
  const lead = tokens.find((token) => token.type === 'paragraph')
  const reading: Reading = { resolve, headings: [], ids: new Set() }
  const rest = tokens.filter((token) => token !== title && token !== lead)
  const body = rest.map((token) => block(token, reading))
  return {
    title: title ? plain(title.tokens) : '',
    keywords: KEYWORDS.exec(text)?.[1] ?? '',
    summary: lead ? plain(lead.tokens) : '',
    headings: reading.headings,
    lead: lead ? html`<p class="lead">${inline(lead.tokens, reading)}</p>` : null,
    body: html`${body}`,
  }
}

function block(token: MarkedToken, reading: Reading): Markup {
  switch (token.type) {
    case 'heading':
      return heading(token.depth, token.tokens, reading)
    case 'paragraph':
      return html`<p>${inline(token.tokens, reading)}</p>`
    case 'code':
      return codeBlock(token.text, LANGUAGES[token.lang ?? ''] ?? 'Code')
    case 'list': {
      const items = token.items.map((item) => html`<li>${inItem(item.tokens, reading)}</li>`)
      return token.ordered ? html`<ol start=${token.start || 1}>${items}</ol>` : html`<ul>${items}</ul>`
    }
    case 'table':
      return table(
        token.header.map(({ text }) => text),
        token.rows.map((row) => row.map((cell) => html`<span>${inline(cell.tokens, reading)}</span>`)),
      )
    case 'blockquote':
      return html`<blockquote>${(token.tokens as MarkedToken[]).map((each) => block(each, reading))}</blockquote>`
    case 'hr':
      return html`<hr />`
    case 'html':
      return COMMENT.test(token.text) ? null : html`<p>${token.text}</p>`
    default:
      return null
  }
}

function heading(depth: number, tokens: Token[], reading: Reading): Markup {
  const text = plain(tokens)
  const id = uniqueId(text, reading.ids)
  reading.headings.push({ id, text, depth })
  const content = html`<a href=${`#${id}`}>${inline(tokens, reading)}</a>`
  if (depth <= 2) return html`<h2 id=${id}>${content}</h2>`
  return depth === 3 ? html`<h3 id=${id}>${content}</h3>` : html`<h4 id=${id}>${content}</h4>`
}

/** A short item is one line of inline tokens. A longer one contains blocks. */
function inItem(tokens: Token[], reading: Reading): Markup {
  const parts = (tokens as MarkedToken[]).map((token) =>
    token.type === 'text' ? html`${inline(token.tokens ?? [token], reading)}` : block(token, reading),
  )
  return html`${parts}`
}

function inline(tokens: Token[], reading: Reading): Markup {
  return html`${(tokens as MarkedToken[]).map((token) => piece(token, reading))}`
}

function piece(token: MarkedToken, reading: Reading): Markup | string {
  switch (token.type) {
    case 'strong':
      return html`<strong>${inline(token.tokens, reading)}</strong>`
    case 'em':
      return html`<em>${inline(token.tokens, reading)}</em>`
    case 'del':
      return html`<del>${inline(token.tokens, reading)}</del>`
    case 'codespan':
      return codeOrLink(token.text, reading.resolve)
    case 'link': {
      const address = reading.resolve(token.href)
      const text = inline(token.tokens, reading)
      return address === null ? text : html`<a href=${address}>${text}</a>`
    }
    case 'image': {
      const address = reading.resolve(token.href)
      return address === null ? token.text : html`<img src=${address} alt=${token.text} />`
    }
    case 'br':
      return html`<br />`
    case 'text':
      return token.tokens ? html`${inline(token.tokens, reading)}` : token.text
    case 'escape':
    case 'html':
      return token.text
    default:
      return ''
  }
}

/** A page of the service is written as code in the file, because a file host has no such address. Here it can be a link. */
function codeOrLink(text: string, resolve: Resolve): Markup {
  const address = /^\/docs(\/|#|$)/.test(text) ? resolve(text) : null
  return address === null ? html`<code>${text}</code>` : html`<a href=${address}><code>${text}</code></a>`
}

/** Returns the text without its markup. */
export function plain(tokens: Token[]): string {
  return (tokens as MarkedToken[])
    .map((token) =>
      'tokens' in token && token.tokens ? plain(token.tokens) : 'text' in token ? token.text : '',
    )
    .join('')
}

/** Returns the id that file hosts give to a heading, so that one link works in both places. */
export function uniqueId(text: string, taken: Set<string>): string {
  const base = text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
  let id = base
  for (let count = 1; taken.has(id); count += 1) id = `${base}-${count}`
  taken.add(id)
  return id
}
