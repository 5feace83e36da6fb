/**
 * A simulated Stripe or PayPal in its own process, for browser tests and for people: node
 * server/testing/processes/provider-main.ts stripe
 * It prints one line: its address, and the settings of an account there. Then it reads one command a line, as a JSON object,
 * and prints `{}` when it is done. `webhook`: the address to which it sends webhooks. `dispute`: its newest buyer opens a
 * dispute.
 */
import { createInterface } from 'node:readline'
import { EVENTS } from '../../providers/stripe/inbound.ts'
import { openDispute as disputeOrder } from '../providers/paypal/disputes.ts'
import {
  addWebhook,
  CLIENT_ID,
  CLIENT_SECRET,
  startPaypalServer,
  WEBHOOK_ID,
} from '../providers/paypal-server.ts'
import { openDispute as disputeCharge } from '../providers/stripe/payments.ts'
import { startStripeServer } from '../providers/stripe-server.ts'

/** How often webhooks are sent. */
const SEND_EVERY_MS = 50

type Provider = {
  origin: string
  settings: Record<string, string>
  addWebhook(url: string): void
  dispute(): void
  /** Sends the webhooks that are waiting. */
  send(): Promise<unknown>
}

const now = () => new Date()

async function startStripe(): Promise<Provider> {
  const server = await startStripeServer(now)
  const own = { ACCOUNT: 'acct_simulatedShop', SECRET_KEY: 'sk_test_simulated_shop' }
  const secret = 'whsec_simulated_shop'
  const account = server.openAccount(own.ACCOUNT, [own.SECRET_KEY])
  return {
    origin: server.origin,
    settings: { ...own, WEBHOOK_SECRET: secret, API_BASE: server.origin },
    addWebhook: (url) => void account.endpoints.push({ url, secrets: [secret], events: EVENTS }),
    dispute() {
      const charge = [...account.charges.values()].findLast(({ captured }) => captured)
      if (charge) disputeCharge(server.books, account, charge, 'dispute_lost')
    },
    send: server.work,
  }
}

async function startPaypal(): Promise<Provider> {
  const server = await startPaypalServer(now)
  return {
    origin: server.origin,
    settings: { ENVIRONMENT: 'sandbox', CLIENT_ID, CLIENT_SECRET, WEBHOOK_ID, ADDRESS: server.origin },
    addWebhook: (url) => addWebhook(server, url),
    dispute() {
      const order = [...server.account.orders.values()].findLast(({ captures }) => captures.length > 0)
      if (order) disputeOrder(server.paypal.world, server.account, order)
    },
    async send() {
      for (const { url, headers, body } of server.takeSent())
        await fetch(url, { method: 'POST', headers, body }).catch(() => null)
    },
  }
}

const provider = process.argv[2] === 'paypal' ? await startPaypal() : await startStripe()
const print = (answer: object) => process.stdout.write(`${JSON.stringify(answer)}\n`)
setInterval(() => void provider.send(), SEND_EVERY_MS)
print({ origin: provider.origin, settings: provider.settings })
for await (const line of createInterface({ input: process.stdin })) {
  const command = JSON.parse(line) as { webhook?: string; dispute?: true }
  if (command.webhook) provider.addWebhook(command.webhook)
  if (command.dispute) provider.dispute()
  print({})
}
// The process that started this one has ended.
process.exit(0)
