/** The pages of the documentation: the home page, a guide, and a part of the reference. */
import { LANGUAGES, type Language } from '../contract/languages.ts'
import { type Contents, IN_LANGUAGE, markOf } from '../http/docs/built.ts'
import { type DocsPage, HOME, renderDocsPage } from '../http/docs/shell.ts'
import type { OpenApiDocument } from '../http/openapi/document.ts'
import { translate } from '../messages/translate.ts'
import { html, type Markup } from '../pages/html.ts'
import { VERSION } from '../version.ts'
import { type Guide, translationsOf } from './guides.ts'
import type { ReferencePage } from './reference/pages.ts'
import { codeBlock } from './reference/prose.ts'
import { LLMS_PATH, POSTMAN_PATH } from './sources.ts'

export type Library = { guides: Guide[]; reference: ReferencePage[]; info: OpenApiDocument['info'] }

/** A page with fewer headings needs no table of contents. */
const HEADINGS_MIN = 3

/** Returns the contents that every page shows. Links to the reference keep the language that the reader has chosen. */
export function contentsOf({ guides, reference }: Library): Contents {
  return [
    ...grouped(guides.map(({ path, title, group, locale }) => ({ href: path, title, group, locale }))),
    ...grouped(
      reference.map(({ path, title, group }) => ({
        href: `${path}${IN_LANGUAGE}`,
        title,
        group: `API: ${group}`,
        locale: 'en',
      })),
    ),
  ]
}

function grouped(all: { href: string; title: string; group: string; locale: Language }[]): Contents {
  const groups = [...new Set(all.map(({ group }) => group))]
  return groups.map((title) => {
    const entries = all.filter(({ group }) => group === title)
    return { title, locale: entries[0]?.locale ?? 'en', entries }
  })
}

type Rendered = Omit<DocsPage, 'contents' | 'locale'> & { locale?: Language }

function render(library: Library, page: Rendered): string {
  return renderDocsPage({ locale: 'en', ...page, contents: contentsOf(library) })
}

/**
 * A door for each kind of reader. `starts`: the guide that the reader needs first, in each language that it has. Its group has all
 * of the others.
 */
const DOORS: readonly { title: string; text: string; starts: readonly string[] }[] = [
  {
    title: 'I write a shop’s program',
    text: 'Create a payment from a back end, learn its outcome, test every outcome, or install a plug-in.',
    starts: ['getting-started'],
  },
  {
    title: 'I own a shop',
    text: 'Sell by a link or a poster, pack, give money back. Everything on a telephone, without a program.',
    starts: Object.keys(LANGUAGES).map((locale) => `shop/${locale}/link`),
  },
  {
    title: 'I build a site',
    text: 'Put the button on any page, and set products, prices and looks.',
    starts: ['button'],
  },
  {
    title: 'I run the service',
    text: 'Deploy it, connect providers, watch it, back it up, and know what to do when something fails.',
    starts: ['going-live'],
  },
  {
    title: 'I audit it',
    text: 'What is protected how, what was checked, and what card rules ask.',
    starts: ['security'],
  },
]

/** It works as it stands, in the folder of a service that runs with its demo shop. */
const FIRST_CALL = `KASSA_TOKEN=$(node -p "require('./.data/demo.json').token")
curl -sS ${markOf('baseUrl')}/v1/payment-links \\
  -H "Authorization: Bearer $KASSA_TOKEN" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: my-first-link' \\
  -d '{"amount":"1900","currency":"AMD","description":"Mountain tea"}'`

function doors({ guides }: Library): Markup {
  const door = ({ title, text, starts }: (typeof DOORS)[number]) => {
    const found = starts.flatMap((name) => guides.filter((each) => each.name === name))
    const [first] = found
    if (!first) return null
    return html`<li><h2>${title}</h2><p>${text}</p>
      <p class="ways">${found.map(({ path, title: name, locale }) => html`<a href=${path} lang=${locale}>${name}</a> `)}
        ${found.length === 1 ? html`<a href=${`#${groupId(first.group)}`}>All guides</a>` : null}</p></li>`
  }
  return html`<ul class="doors">${DOORS.map(door)}</ul>`
}

const groupId = (title: string) => `guides-${title.toLowerCase().replaceAll(/[^\p{L}]+/gu, '-')}`

export function homePage(library: Library): string {
  const { guides, reference, info } = library
  const groups = grouped(guides.map((guide) => ({ ...guide, href: guide.path })))
  const parts = [...new Set(reference.map(({ group }) => group))]
  const main = html`<h1>Kassa documentation</h1>
    <p class="lead">${info.summary} Read the guides, or look up an endpoint, a status or an error.</p>
    ${doors(library)}
    <section class="shelf"><h2 id="first-call">A first call</h2>
      <p>Start the service with its demo shop: <code>npm ci && npm start</code>. Paste this in a second terminal, in the same folder. Open the <code>paymentUrl</code> of the response and pay with test money.</p>
      ${codeBlock(FIRST_CALL, 'Shell')}</section>
    ${groups.map(
      ({ title, locale }) => html`<section class="shelf" lang=${locale}><h2 id=${groupId(title)}>${title}</h2>
        <ul class="cards">${guides.filter((each) => each.group === title).map(guideCard)}</ul></section>`,
    )}
    <section class="shelf"><h2 id="api">API reference</h2>
      <p>This is Kassa ${VERSION}. For programs there is <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1), a <a href=${POSTMAN_PATH} download>collection for Postman</a>, and <a href=${LLMS_PATH}>llms.txt</a> with every page as Markdown.</p>
      ${parts.map(
        (group) => html`<h3 id=${`tag-${group}`}>${group}</h3>
          <ul class="rows">${reference.filter((each) => each.group === group).map(referenceRow)}</ul>`,
      )}</section>`
  return render(library, { title: 'Kassa documentation', description: info.summary, path: HOME, main })
}

const guideCard = ({ path, title, summary }: Guide): Markup =>
  html`<li><a href=${path}>${title}</a><p>${summary}</p></li>`

/** The id is the anchor that this part had when the reference was one page, so that old links still work. */
const referenceRow = ({ path, id, title, summary, endpoint }: ReferencePage): Markup =>
  html`<li id=${id}><a href=${path}>${title}</a> ${endpoint ? html`<code>${endpoint}</code>` : html`<span>${summary}</span>`}</li>`

export function guidePage(library: Library, guide: Guide): string {
  const { path, title, summary, lead, body, locale } = guide
  const main = html`<article class="guide"><h1>${title}</h1>${inOtherLanguages(library, guide)}${lead}${onThisPage(guide)}${body}</article>`
  return render(library, { locale, title, description: summary, path, main })
}

function inOtherLanguages({ guides }: Library, guide: Guide): Markup {
  const others = translationsOf(guide, guides)
  if (others.length === 0) return null
  return html`<nav class="crumb" aria-label=${translate(guide.locale, 'docs.otherLanguages')}>
    ${others.map(({ path, locale }) => html`<a href=${path} lang=${locale} hreflang=${locale}>${LANGUAGES[locale].own}</a> `)}</nav>`
}

function onThisPage({ headings, locale }: Guide): Markup {
  const shown = headings.filter(({ depth }) => depth === 2)
  if (shown.length < HEADINGS_MIN) return null
  const label = translate(locale, 'docs.onThisPage')
  return html`<nav class="on-page" aria-label=${label}><p class="label">${label}</p>
    <ul>${shown.map(({ id, text }) => html`<li><a href=${`#${id}`}>${text}</a></li>`)}</ul></nav>`
}

export function apiPage(library: Library, page: ReferencePage): string {
  const { title, summary, path, content } = page
  const main = html`<p class="crumb"><a href="/docs#api">API reference</a></p><h1>${title}</h1>${content}`
  return render(library, { title, description: summary, path, main })
}
