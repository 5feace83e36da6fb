/** What programs read: llms.txt, each page as Markdown, and the collection for Postman. */
import { fill } from '../http/docs/built.ts'
import { renderMarkup } from '../http/docs/shell.ts'
import type { OpenApiDocument } from '../http/openapi/document.ts'
import { html, type Markup } from '../pages/html.ts'
import type { Library } from './pages.ts'
import { markdownOf } from './plain.ts'
import { sampleRequest } from './reference/endpoint-section.ts'
import type { KitText } from './reference/kits.ts'
import type { Samples } from './reference/pages.ts'
import { codeBlock } from './reference/prose.ts'
import { LANGUAGES } from './reference/samples.ts'
import { LLMS_PATH, POSTMAN_PATH } from './sources.ts'

type Plain = {
  path: string
  title: string
  summary: string
  group: string
  markup: Markup
  samples: Samples
}

/** Guides and reference as one list of pages. */
function plainPages({ guides, reference }: Library): Plain[] {
  const ofGuides = guides.map(({ lead, body, ...guide }) => ({
    ...guide,
    markup: [lead, body].flat(),
    samples: {},
  }))
  const ofReference = reference.map((page) => ({
    ...page,
    group: `API: ${page.group}`,
    markup: page.content,
  }))
  return [...ofGuides, ...ofReference] as Plain[]
}

/** Returns the files for programs. */
export function programFiles(library: Library, document: OpenApiDocument): KitText[] {
  const pages = plainPages(library)
  const file = (path: string, mediaType: string, text: string): KitText => ({
    path,
    file: path.slice('/docs/'.length),
    mediaType,
    text,
  })
  return [
    file(POSTMAN_PATH, 'application/json', `${JSON.stringify(postmanCollection(document), null, 2)}\n`),
    { ...file(LLMS_PATH, 'text/plain', llmsText(pages, document)), isShown: true },
    ...pages.map((page) => ({
      ...file(`${page.path}.md`, 'text/markdown', markdownPage(page)),
      isShown: true,
    })),
  ]
}

/** Returns a page as Markdown, with each example in every language. */
function markdownPage({ title, markup, samples }: Plain): string {
  const shown = Object.entries(samples).map(([name, texts]) => [
    `sample.${name}`,
    renderMarkup(inEachLanguage(texts)),
  ])
  const page = renderMarkup(html`<h1>${title}</h1>${markup}`)
  return markdownOf(fill(page, { inLanguage: '', ...Object.fromEntries(shown) }))
}

const inEachLanguage = (texts: Record<string, string>): Markup =>
  html`${LANGUAGES.map(({ id, label }) => texts[id] && html`<p>${label}:</p>${codeBlock(texts[id], label)}`)}`

/** Returns llms.txt: the list of all pages. */
function llmsText(pages: Plain[], { info, servers }: OpenApiDocument): string {
  const groups = [...new Set(pages.map(({ group }) => group))]
  const lines = groups.flatMap((name) => [
    `\n## ${name}\n`,
    ...pages
      .filter(({ group }) => group === name)
      .map(({ path, title, summary }) => `- [${title}](${servers[0]?.url}${path}.md): ${summary}`),
  ])
  return `# Kassa\n\n> ${info.summary}\n${lines.join('\n')}\n`
}

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json'

/** What an answer has made is a variable for the requests behind it, by the beginning of its id. */
const VARIABLES = { pay: 'paymentId', opr: 'operationId', pmt: 'tokenId', sub: 'subscriptionId' } as const
const ID = /\b(pay|opr|pmt|sub)_[a-z0-9_]+/g
const KEEP_IDS = [
  `const names = ${JSON.stringify(VARIABLES)}`,
  "if (pm.request.method === 'POST' && pm.response.code < 300)",
  `  for (const [id, kind] of pm.response.text().matchAll(${ID})) pm.collectionVariables.set(names[kind], id)`,
]

const withVariables = (text: string): string =>
  text.replaceAll(ID, (_, kind: keyof typeof VARIABLES) => `{{${VARIABLES[kind]}}}`)

/** The requests of the API as a Postman collection, from the OpenAPI document. */
function postmanCollection(document: OpenApiDocument): object {
  const baseUrl = document.servers[0]?.url ?? ''
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  return {
    info: { name: document.info.title, description: document.info.description, schema: SCHEMA },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{token}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: baseUrl },
      { key: 'token', value: '' },
      ...Object.entries(VARIABLES).map(([kind, key]) => ({ key, value: `${kind}_...` })),
    ],
    event: [{ listen: 'test', script: { type: 'text/javascript', exec: KEEP_IDS } }],
    item: document.tags.map(({ name, description }) => ({
      name,
      description,
      item: described.filter(({ operation }) => operation.tags.includes(name)).map(requestOf),
    })),
  }

  function requestOf(each: (typeof described)[number]): object {
    const { method, url, withToken, headers, body } = sampleRequest(document, each)
    const raw = withVariables(url.replace(baseUrl, '{{baseUrl}}'))
    const [path = '', query = ''] = raw.split('?')
    const [host, ...parts] = path.split('/')
    const parameters = [...new URLSearchParams(query)].map(([key, value]) => ({ key, value }))
    return {
      name: each.operation.summary,
      request: {
        method,
        description: each.operation.description,
        header: Object.entries(headers).map(([key, value]) => ({ key, value })),
        url: { raw, host: [host], path: parts, query: parameters },
        ...(!withToken && { auth: { type: 'noauth' } }),
        ...(body && {
          body: {
            mode: 'raw',
            raw: withVariables(JSON.stringify(body, null, 2)),
            options: { raw: { language: 'json' } },
          },
        }),
      },
    }
  }
}
