/**
 * The API reference: one page for each topic of an integration and one for each endpoint. Topics are written by hand.
 * Rule: this file says nothing about an endpoint. Everything is read from the OpenAPI document.
 */

import type { OpenApiDocument } from '../../http/openapi/document.ts'
import { html, type Markup } from '../../pages/html.ts'
import { firstCalls } from './client-samples.ts'
import { type Described, endpointContent, requestSamples } from './endpoint-section.ts'
import { KEYWORDS } from './keywords.ts'
import { FIRST_CALL, TOPICS } from './topics.ts'

/** The examples of a page by their name and language. */
export type Samples = Record<string, Record<string, string>>

export type ReferencePage = {
  /** The anchor of its content. */
  id: string
  path: string
  title: string
  summary: string
  group: string
  keywords: string
  /** Method and path, of an endpoint's page. */
  endpoint?: string
  content: Markup
  /** The examples of the content by their name and language. Each stands where the content has its mark. */
  samples: Samples
  /** Names that a search finds at an anchor of their own. */
  terms?: { id: string; name: string; text: string }[]
}

const PREFIX = '/docs/api/'
const TOPICS_GROUP = 'Topics'

/** `createRefund` as it stands in an address: `create-refund`. */
const slugOf = (id: string) => id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export function referencePages(document: OpenApiDocument): ReferencePage[] {
  const baseUrl = document.servers[0]?.url ?? ''
  const endpoints = endpointPages(document)
  const plain = endpoints.find(({ id }) => id === FIRST_CALL.id)?.samples[FIRST_CALL.id]
  const firstCall = { curl: plain?.curl ?? '', ...firstCalls(baseUrl) }
  const topics = TOPICS.map(({ id, title, summary, content, samples = {}, terms }): ReferencePage => {
    const keywords = KEYWORDS[id] ?? ''
    const page = { id, path: `${PREFIX}${id}`, title, summary, group: TOPICS_GROUP, keywords }
    const shown = id === 'quickstart' ? { [FIRST_CALL.sample]: firstCall } : samples
    const text = section(id, title, content(baseUrl))
    return { ...page, content: text, samples: shown, ...(terms && { terms: terms() }) }
  })
  return [...topics, ...endpoints]
}

/** The endpoints under their tags, in the document's order. */
function endpointPages(document: OpenApiDocument): ReferencePage[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Described => ({ method, path, operation })),
  )
  return document.tags.flatMap(({ name, description }) =>
    all
      .filter(({ operation }) => operation.tags.includes(name))
      .map((each) => pageOf(each, name, description)),
  )

  function pageOf(each: Described, group: string, about: string): ReferencePage {
    const { operationId: id, summary: title } = each.operation
    const keywords = KEYWORDS[id] ?? ''
    const page = { id, path: `${PREFIX}${slugOf(id)}`, title, summary: about, group, keywords }
    const content = section(id, title, endpointContent(document, each))
    const samples = { [id]: requestSamples(document, each) }
    return { ...page, content, samples, endpoint: `${each.method.toUpperCase()} ${each.path}` }
  }
}

const section = (id: string, title: string, content: Markup): Markup =>
  html`<section id=${id} aria-label=${title}>${content}</section>`
