/**
 * The reference at /docs: the OpenAPI document, and the guide before it, as one page without a script.
 * Law: nothing about an endpoint is written here; it is read from the document.
 */
import { Fragment, h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { OpenApiDocument } from '../openapi/document.ts'
import { html, type Markup } from '../pages/html.ts'
import { type Described, endpointSection } from './endpoint-section.ts'
import { GUIDE, type ServerFacts } from './guide.ts'
import { section } from './prose.ts'
import { LANGUAGES } from './samples.ts'

export function referencePage(document: OpenApiDocument, rateLimits: ServerFacts['rateLimits']): string {
  const { info, servers } = document
  const baseUrl = servers[0]?.url ?? ''
  const groups = endpointGroups(document)
  const page = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>${`${info.title} API reference`}</title>
      <meta name="description" content=${info.summary} />
      <link rel="icon" href="/kassa.svg" type="image/svg+xml" />
      <link rel="stylesheet" href="/tokens.css" />
      <link rel="stylesheet" href="/docs.css" />
    </head>
    <body>
      <a class="skip" href="#content">Skip to the content</a>
      ${topBar(info)}
      <div class="frame">
        <nav class="side" aria-label="Contents">
          <details class="contents"><summary>Contents</summary>${contents(groups)}</details>
          <div class="wide">${contents(groups)}</div>
        </nav>
        <main id="content">
          <h1>${`${info.title} API`}</h1>
          <p class="lead">${info.summary} Version ${info.version}, at <code>${baseUrl}</code>.</p>
          ${GUIDE.map(({ id, title, content }) => section(id, title, content({ baseUrl, rateLimits })))}
          ${groups.map(
            ({ tag, endpoints }) => html`<h2 class="group" id=${`tag-${tag.name}`}>${tag.name}</h2>
              <p class="lead">${tag.description}</p>
              ${endpoints.map((endpoint) => endpointSection(document, endpoint))}`,
          )}
        </main>
      </div>
    </body>
  </html>`
  return `<!doctype html>${renderToString(h(Fragment, null, page))}`
}

type Group = { tag: OpenApiDocument['tags'][number]; endpoints: Described[] }

/** The endpoints under their tags, in the document's order. */
function endpointGroups({ tags, paths }: OpenApiDocument): Group[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const groups = tags.map((tag) => ({
    tag,
    endpoints: all.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
  return groups.filter(({ endpoints }) => endpoints.length > 0)
}

/** The choice of a language is the page's only state; style sheets can read it. */
function topBar({ title }: OpenApiDocument['info']): Markup {
  return html`<header class="bar">
    <a class="mark" href="#content"><img src="/kassa.svg" alt="" width="24" height="24" /> ${title}</a>
    <fieldset>
      <legend>Examples in</legend>
      ${LANGUAGES.map(
        ({ id, label }, index) => html`<label>
          <input type="radio" name="language" id=${`in-${id}`} value=${id} checked=${index === 0} />
          <span>${label}</span>
        </label>`,
      )}
    </fieldset>
  </header>`
}

function contents(groups: Group[]): Markup {
  return html`
    <p class="label">Guide</p>
    <ul>${GUIDE.map(({ id, title }) => html`<li><a href=${`#${id}`}>${title}</a></li>`)}</ul>
    ${groups.map(
      ({ tag, endpoints }) => html`<p class="label">${tag.name}</p>
        <ul>${endpoints.map(({ operation }) => html`<li><a href=${`#${operation.operationId}`}>${operation.summary}</a></li>`)}</ul>`,
    )}`
}
