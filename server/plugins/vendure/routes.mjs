/** The plug-in's doors: the event route, and two mutations of the Shop API. */
import { Controller, Headers, HttpCode, Post, Req, Res } from '@nestjs/common'
import { Args, Mutation, Resolver } from '@nestjs/graphql'
import { Allow, Ctx, Permission, RequestContext } from '@vendure/core'
import { gql } from 'graphql-tag'
import { verifyEvent } from 'kassa-client'
import { KassaAttempts } from './attempts.mjs'
import { KassaBook } from './book.mjs'
import { KassaDecisions } from './decisions.mjs'
import { injectable, onMethod, onParameters } from './injectable.mjs'
import { settingsOf } from './settings.mjs'

export const EVENT_ROUTE = 'kassa/events'
const BODY_BYTES_MAX = 262_144

/** Reads the raw bytes before anything parses them, because the signature covers them. */
export function keepRawBody(request, response, next) {
  const chunks = []
  let bytes = 0
  request.on('data', (chunk) => {
    bytes += chunk.length
    if (bytes <= BODY_BYTES_MAX) chunks.push(chunk)
  })
  request.once('error', next)
  request.once('end', () => {
    if (bytes > BODY_BYTES_MAX) return response.status(413).end()
    request.rawBody = Buffer.concat(chunks)
    request._body = true
    next()
  })
}

/** An exception would be an error in Vendure's log. Anybody can send a wrong event, and `callback verify` does. */
function refuse(response, text) {
  response.status(401)
  return text
}

export class KassaController {
  /**
   * @param {KassaBook} book
   * @param {KassaDecisions} decisions
   */
  constructor(book, decisions) {
    this.book = book
    this.decisions = decisions
  }

  /** Verifies and stores the event before the answer. The order changes afterwards. */
  async take(request, headers, response) {
    const methods = await this.book.listMethods()
    const secrets = methods.flatMap((method) => settingsOf(method).secrets)
    if (secrets.length === 0) return refuse(response, 'No payment method uses Kassa.')
    const verified = verifyEvent(request.rawBody, headers, { secrets })
    if (!verified.ok) return refuse(response, verified.error.message)
    const { event } = verified
    const { id, merchantOrderId } = event.payment
    if (
      event.type !== 'payment.status_changed' ||
      typeof id !== 'string' ||
      typeof merchantOrderId !== 'string'
    )
      return 'Ignored.'
    if (!(await this.book.tell(id, merchantOrderId))) return 'This shop has no such order.'
    setImmediate(() => this.decisions.decideTold().catch((failure) => this.book.warn(failure.message)))
    return 'Stored.'
  }
}
injectable(KassaController, KassaBook, KassaDecisions)
Controller(EVENT_ROUTE)(KassaController)
onMethod(KassaController, 'take', Post(), HttpCode(200))
onParameters(KassaController, 'take', [Object, Object, Object], Req(), Headers(), Res({ passthrough: true }))

export const schema = gql`
  type KassaCheckout {
    "Send the buyer here."
    url: String!
    paymentId: String!
  }
  enum KassaOutcome {
    "The buyer may still pay."
    OPEN
    "The money has come, or is held until you capture it."
    PAID
    "This attempt has ended. The order can be paid anew."
    CLOSED
    "The bank has not said how it ended. Do not ask the buyer to pay again."
    UNKNOWN
  }
  extend type Mutation {
    "Opens a payment for what is still due of the active order, which is in the state ArrangingPayment."
    createKassaPayment(returnUrl: String!, paymentMethodCode: String): KassaCheckout!
    "Looks the payment up. Call it on the page to which the buyer returns."
    refreshKassaPayment(orderCode: String!): KassaOutcome!
  }
`

export class KassaResolver {
  /** @param {KassaAttempts} attempts */
  constructor(attempts) {
    this.attempts = attempts
  }
  createKassaPayment(ctx, args) {
    return this.attempts.begin(ctx, args)
  }
  refreshKassaPayment(ctx, { orderCode }) {
    return this.attempts.refresh(ctx, orderCode)
  }
}
injectable(KassaResolver, KassaAttempts)
Resolver()(KassaResolver)
for (const name of ['createKassaPayment', 'refreshKassaPayment']) {
  onMethod(KassaResolver, name, Mutation(), Allow(Permission.Owner))
  onParameters(KassaResolver, name, [RequestContext, Object], Ctx(), Args())
}
