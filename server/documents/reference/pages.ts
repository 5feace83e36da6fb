/**
 * The API reference: one page for each topic of an integration and one for each endpoint. Topics are written by hand.
 * Rule: this file says nothing about an endpoint. Everything is read from the OpenAPI document.
 */
import type { OpenApiDocument } from '../../http/openapi/document.ts'
import { html, type Markup } from '../../pages/html.ts'
import { firstCalls } from './client-calls.ts'
import { type Described, endpointContent, requestSamples } from './endpoint-section.ts'
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
  /** Method and path, if the page is about an endpoint. */
  endpoint?: string
  content: Markup
  /** The examples of the content by their name and language. Each is put where the content has its mark. */
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

/** Further words by which the search finds a page, by the page's id. They become its line `keywords:`. */
const KEYWORDS: Record<string, string> = {
  quickstart: 'start, begin, first call, first payment, hello world, example, integration, openapi, swagger',
  authentication:
    'token, bearer, api key, secret key, credentials, authorization header, unauthorized, scope, cors, origin, browser call',
  idempotency:
    'idempotent, retry, retries, timeout, repeat, duplicate, double payment, charged twice, same request',
  requests: 'json, body, content type, null, encoding, utf-8, form',
  money: 'currency, currencies, minor units, cents, amount, decimals, dram, dollar, euro, rounding',
  statuses:
    'status, state, states, polling, poll, lifecycle, pending, paid, failed, deliver, late payment, late money',
  errors: 'error, error codes, exception, failure, http status',
  limits: 'rate limit, rate limits, throttle, throttling, 429, too many requests, quota',
  events:
    'payload, notification body, signature, hmac, sequence, order of events, posted, sent again, delivery, webhook, payment.status_changed',
  'button-payments': 'widget sale, product sold, button sale',
  'subscription-payments': 'subscription charge, renewal, period, recurring charge',
  'receiver-kits': 'express, flask, fastapi, django, laravel, example, receiver',
  createPaymentSession: 'create payment, charge, checkout, pay, new payment, order, return url, redirect',
  createPaymentLink: 'payment link, hosted link, qr',
  lookUpPayment: 'get payment, find payment, payment status, check payment, verify payment, poll',
  createRefund: 'refund a payment, partial refund, give money back, return money, reverse',
  capturePayment: 'capture, hold, authorization, authorize, two steps, preauthorization, take money',
  cancelPayment: 'cancel payment, cancel a payment, cancel an order, call off, withdraw, abandon',
  voidPayment: 'void, release hold, undo, reverse authorization',
  retryFiscalReceipt: 'receipt, fiscal, cash register, ehdm, print again, tax receipt',
  createPaymentMethodToken:
    'save card, saved card, store card, card on file, tokenization, vault, one click, remember card',
  revokePaymentMethodToken: 'delete card, remove saved card, forget card, revoke token',
  createSubscription:
    'subscription, recurring, recurring payment, recurring payments, rebill, monthly, plan, membership',
  cancelSubscription: 'stop, end, unsubscribe, terminate',
  createWidgetCheckout: 'widget, button click, browser checkout, public key',
  getOperation: 'operation, refund status, result of a refund, guarded operation',
  health: 'health, ping, uptime, alive, version',
  getCapabilities: 'capabilities, features, routes, providers, status map, platform, amount bounds',
}
