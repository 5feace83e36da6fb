/** Work that nobody does, and work whose end only a person can decide. */
import { askOperation, call, createSession, lookUp, payAtBank, sessionRequest } from '../calls.ts'
import { type KassaProcess, openShop, type Shop, spawnKassa } from '../harness.ts'
import { startMailServer } from '../mail-server.ts'
import { createSubscription, openToken, subscriptionRequest } from '../payments/subscriptions.ts'
import { carefulStatus, startReceiver } from '../receiver.ts'
import { type Cause, type Scene, type Watched, watchDeployment } from './scene.ts'

const DAYS = 3

/** A process without a worker. The sandbox's clock moves on, so everything that was due stays due. */
export async function workerScene(): Promise<Scene> {
  const watched = await watchDeployment({ PROCESS: 'web' })
  const { kassa, running, settings, target } = watched
  const { db } = kassa.ctx
  const receiver = await startReceiver()
  const shop = await openShop(kassa.ctx, { callbackUrl: receiver.url })
  let worker: KassaProcess | null = null
  const { url } = running.process
  const create = async (key: string) => {
    const { body } = await createSession(url, shop, { key, body: sessionRequest({ merchantOrderId: key }) })
    return body as { id: string; providerCheckoutUrl: string }
  }
  return {
    target,
    async close() {
      await worker?.kill('SIGKILL')
      await watched.close()
      await receiver.close()
    },
    causes: [
      {
        what: `no worker runs, and ${DAYS} days pass (the sandbox's clock; the jobs' times in the database); mended by a worker`,
        alerts: [
          'KassaQuestionsOverdue',
          'KassaSettledQuestionsLate',
          'KassaOperationsOverdue',
          'KassaRenewalsOverdue',
          'KassaWorkerStuck',
          'KassaEventsWaiting',
        ],
        async begin() {
          await create('open')
          const { id, providerCheckoutUrl } = await create('paid')
          await payAtBank(providerCheckoutUrl, 'paid')
          await lookUp(url, shop, id)
          const body = { amountMinor: 500, reason: 'broken' }
          await askOperation(url, shop, id, 'refunds', { key: 'refund', body })
          const token = await openToken(url, shop)
          await createSubscription(url, shop, { body: subscriptionRequest(token, { interval: 'day' }) })
          await db.query('update sandbox.sandbox_clock set offset_ms = $1', [DAYS * 24 * 3_600_000])
          await db.query("update sandbox_jobs._private_jobs set run_at = run_at - interval '10 minutes'")
        },
        async mend() {
          const { METRICS_PORT: _, PORT: __, ...rest } = settings as Record<string, string>
          worker = await spawnKassa({ ...rest, PROCESS: 'all' })
        },
      },
    ],
  }
}

/** Payments, receipts, mails and a receiver that a person has to look after. */
export async function decisionScene(): Promise<Scene> {
  const mails = await startMailServer()
  const watched = await watchDeployment({ SMTP_URL: mails.url, MAIL_FROM: 'receipts@pay.example' })
  const shop = await openShop(watched.kassa.ctx)
  const paused = await pausedReceiver(watched)
  const pay = (changes: object = {}) => payAt(watched, shop, changes)
  return {
    target: watched.target,
    async close() {
      await watched.close()
      await Promise.all([mails.close(), paused.close()])
    },
    causes: [
      undecidedCause(watched, pay),
      receiptCause(watched, shop, pay),
      paused.cause,
      undoneCause(watched, shop, pay),
      {
        what: "the mail server does not know a buyer's address",
        alerts: ['KassaMailsFailed'],
        async begin() {
          mails.faults.push('unknown')
          await pay({ customer: { email: 'ani@example.com' } })
        },
      },
    ],
  }
}

let orders = 0

/** Creates a payment that its buyer pays, and asks about it. Returns its id. */
async function payAt({ running }: Watched, shop: Shop, changes: object): Promise<string> {
  const { url } = running.process
  const key = `decide-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, ...changes })
  const { body: session } = await createSession(url, shop, { key, body })
  await payAtBank(session.providerCheckoutUrl, 'paid')
  await lookUp(url, shop, session.id)
  return session.id
}

type Pay = (changes: object) => Promise<string>
const fault = (sandboxFault: string) => ({ metadata: { sandboxFault } })

function undecidedCause({ operate }: Watched, pay: Pay): Cause {
  let id = ''
  return {
    what: 'the bank reports another amount; mended with payment resolve',
    alerts: ['KassaPaymentsUndecided'],
    async begin() {
      id = await pay(fault('wrong_amount'))
    },
    mend: async () =>
      void (await operate('payment', 'resolve', '--payment', id, '--as', 'failed', '--why', 'test')),
  }
}

function receiptCause({ running }: Watched, shop: Shop, pay: Pay): Cause {
  let id = ''
  return {
    what: 'the cash register refuses a receipt; mended by a retry',
    alerts: ['KassaReceiptsFailed'],
    async begin() {
      id = await pay(fault('receipt_fails_once'))
    },
    mend: async () =>
      void (await call(`${running.process.url}/v1/fiscal-receipts/${id}/retry`, {
        headers: { authorization: `Bearer ${shop.token}`, 'idempotency-key': `retry-${id}` },
      })),
  }
}

function undoneCause({ running }: Watched, shop: Shop, pay: Pay): Cause {
  return {
    what: 'the bank says that a refund failed after it had succeeded',
    alerts: ['KassaRefundUndone'],
    async begin() {
      const id = await pay(fault('refund_fails_after_success'))
      const request = { key: `undone-${id}`, body: { amountMinor: 500, reason: 'broken' } }
      await askOperation(running.process.url, shop, id, 'refunds', request)
    },
  }
}

async function pausedReceiver(watched: Watched): Promise<{ cause: Cause; close(): Promise<void> }> {
  const state = { isGone: true, secrets: [] as string[] }
  const receiver = await startReceiver((_, delivery) =>
    state.isGone ? 410 : carefulStatus(delivery, state.secrets, new Date()),
  )
  const shop = await openShop(watched.kassa.ctx, { callbackUrl: receiver.url })
  state.secrets = [shop.webhookSecret]
  const cause: Cause = {
    what: 'a callback URL answers 410; mended with callback verify',
    alerts: ['KassaReceiverPaused'],
    begin: async () => void (await payAt(watched, shop, {})),
    async mend() {
      state.isGone = false
      await watched.operate('callback', 'verify', '--merchant', shop.merchantId)
    },
  }
  return { cause, close: receiver.close }
}
