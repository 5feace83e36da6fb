/** A merchant's shop on its own origin: pages with a pay button, and a back end that accepts only signed events. */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import Stripe from 'stripe'
import type { PaymentStatusChanged } from '../../server/contract/event.ts'
import type { PaymentSession, PaymentStatus } from '../../server/contract/payment.ts'
import type { Account } from './operator.ts'

const PAGES = new URL('../../public/merchant-pages/', import.meta.url)
const THANKS =
  '<!doctype html><html lang="en"><title>Thank you</title><h1>Thank you for your order</h1></html>'
const MISSING =
  '<!doctype html><html lang="en"><title>Missing</title><h1>No such page in this shop</h1></html>'
const EVENT_WITHIN_MS = 60_000

/** An independent implementation of the signature, which a merchant may use: the official package of another service. */
export const { webhooks } = new Stripe('sk_test_x')

/** An event as it arrived. `refusal` is the reason why the shop rejected it. */
export type Delivery = {
  body: Buffer
  signature: string
  receivedAt: Date
  event: PaymentStatusChanged | null
  refusal: string | null
}

export class Shop {
  readonly deliveries: Delivery[] = []
  /** Pages that a test adds, by path. They can use the placeholders of the merchant pages. */
  readonly pages = new Map<string, string>([['/thanks', THANKS]])
  readonly origin: string
  readonly #kassaUrl: string
  readonly #close: () => Promise<void>
  #account: Account | undefined

  private constructor(kassaUrl: string, origin: string, close: () => Promise<void>) {
    this.#kassaUrl = kassaUrl
    this.origin = origin
    this.#close = close
  }

  /** Starts the shop's server. Call `moveIn` with an account before a page is opened. */
  static async open(kassaUrl: string): Promise<Shop> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const shop = new Shop(kassaUrl, origin, async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    })
    server.on('request', (request, response) => {
      shop.#answer(request, response).catch((error) => response.writeHead(500).end(String(error)))
    })
    return shop
  }

  get account(): Account {
    if (!this.#account) throw new Error('This shop has no account yet.')
    return this.#account
  }

  moveIn(account: Account): void {
    this.#account = account
  }

  close(): Promise<void> {
    return this.#close()
  }

  /** Creates a payment with the token, as a merchant's back end does. */
  async createPayment(changes: object = {}): Promise<PaymentSession> {
    const answer = await fetch(`${this.#kassaUrl}/v1/payment-sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.account.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        merchantOrderId: `order-${crypto.randomUUID().replaceAll(/\d/g, 'x')}`,
        amountMinor: 1500,
        currency: 'USD',
        returnUrl: `${this.origin}/thanks`,
        ...changes,
      }),
    })
    if (answer.status !== 201) throw new Error(`No payment: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as PaymentSession
  }

  /** Creates a payment and pays it without a browser, for a test that begins with a paid payment. */
  async sell(): Promise<PaymentSession> {
    const payment = await this.createPayment()
    await payAtBank(payment.providerCheckoutUrl)
    return payment
  }

  /** Looks the payment up with the token, as the merchant's back end does. */
  async lookUp(paymentId: string): Promise<PaymentSession> {
    const answer = await fetch(`${this.#kassaUrl}/v1/payments?${new URLSearchParams({ paymentId })}`, {
      headers: { authorization: `Bearer ${this.account.token}` },
    })
    if (!answer.ok) throw new Error(`The look-up of ${paymentId} returned ${answer.status}`)
    return (await answer.json()) as PaymentSession
  }

  /** Waits for the event that reports this status. */
  async eventOf(paymentId: string, status: PaymentStatus): Promise<Delivery> {
    const deadline = performance.now() + EVENT_WITHIN_MS
    const says = ({ event }: Delivery) => event?.payment.id === paymentId && event.payment.status === status
    while (performance.now() < deadline) {
      const found = this.deliveries.find(says)
      if (found) return found
      await sleep(50)
    }
    const refusals = this.deliveries.map(({ refusal }) => refusal).filter(Boolean)
    throw new Error(
      `No event with status ${status} for ${paymentId}. Rejected events: ${refusals.join('; ') || 'none'}`,
    )
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', this.origin)
    if (pathname === '/callback') return this.#receive(request, response)
    if (pathname === '/favicon.ico') return void response.writeHead(204).end()
    const page = this.pages.get(pathname) ?? (await readPage(pathname))
    if (page === null) return void response.writeHead(404, { 'content-type': 'text/html' }).end(MISSING)
    // Sent without a charset, as many old shops do.
    response.writeHead(200, { 'content-type': 'text/html' }).end(this.#fill(page, searchParams))
  }

  /** Fills the placeholders. The query can choose another product, key or return URL, as a wrong page would. */
  #fill(page: string, parameters: URLSearchParams): string {
    return page
      .replaceAll('__API__', this.#kassaUrl)
      .replaceAll('__PUBLIC_KEY__', parameters.get('key') ?? this.account.publicKey)
      .replaceAll('__PRODUCT_ID__', parameters.get('product') ?? 'tea')
      .replaceAll('__RETURN_URL__', parameters.get('return') ?? `${this.origin}/thanks`)
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const signature = String(request.headers['x-service-signature'] ?? '')
    const delivery: Delivery = { body, signature, receivedAt: new Date(), event: null, refusal: null }
    try {
      webhooks.constructEvent(body, signature, this.account.webhookSecret)
      delivery.event = JSON.parse(body.toString('utf8')) as PaymentStatusChanged
    } catch (error) {
      delivery.refusal = String(error)
    }
    this.deliveries.push(delivery)
    response.writeHead(delivery.refusal ? 400 : 200).end()
  }
}

/** Pays as a buyer without a browser, and follows the bank's redirect. */
export async function payAtBank(providerCheckoutUrl: string | null | undefined): Promise<void> {
  const address = providerCheckoutUrl ?? ''
  await fetch(address)
  const [order = ''] = address.split('?')
  await fetch(order, { method: 'POST', body: new URLSearchParams({ outcome: 'paid' }) })
}

async function readPage(pathname: string): Promise<string | null> {
  const [name] = /[\w-]+\.html$/.exec(pathname) ?? []
  return name ? readFile(new URL(name, PAGES), 'utf8').catch(() => null) : null
}
