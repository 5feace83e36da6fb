import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { newId } from '../../id.ts'
import { rotateWebhookSecret } from '../../receivers/secret.ts'
import type { Db } from '../../storage/db.ts'
import { inTransaction } from '../../storage/db.ts'
import { insertEvent } from '../../storage/events/events.ts'
import { createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { MANY_CONNECTIONS, openShop, SECRETS_KEY, type Shop } from '../../testing/harness.ts'
import { watchedDb } from '../../testing/mortal-db.ts'
import { operateHere } from '../../testing/operator.ts'
import { startProcess } from '../../testing/processes/child-process.ts'
import { isSignedWith, type Received, type Receiver, startReceiver } from '../../testing/receiver.ts'
import { openKassa } from '../../testing/scene.ts'

const ENTRY = fileURLToPath(new URL('../../admin.ts', import.meta.url))
// Six transactions are open at once in one of the tests.
const settings = { ...MANY_CONNECTIONS, CALLBACK_ALLOW: '127.0.0.1' }
const kassa = await openKassa({ worker: true, settings })

async function pay(shop: Shop, merchantOrderId: string): Promise<string> {
  const body = sessionRequest({ merchantOrderId })
  const session = await createSession(kassa.url, shop, { key: merchantOrderId, body })
  await payAtBank(session.body.providerCheckoutUrl, 'paid')
  return session.body.id
}
const orders = (received: Received[]) => received.map(({ event }) => event.payment.merchantOrderId)

type Listener = { output(): string; lines(): Record<string, unknown>[]; stop(): Promise<number | null> }

/** The database of this Kassa. `seen` is called when the answer of a look at the recent events is there. */
function watchedLooks(seen: () => void): Db {
  let isLooking = false
  const before = (statement: string) => {
    // The command's statements each have a transaction, so its end follows.
    if (isLooking) seen()
    isLooking = statement === 'list_recent_events'
  }
  return watchedDb(kassa.ctx.db, before, () => false)
}

/** Runs the command in this process, with this Kassa's clock. `stop` stands for Ctrl-C. */
async function listen(shop: Shop, url: string, ...more: string[]): Promise<Listener> {
  const stopping = new AbortController()
  let output = ''
  const args = ['event', 'listen', '--merchant', shop.merchantId, '--forward', url, ...more]
  const isListening = Promise.withResolvers<void>()
  const ended = operateHere(async () => ({ ...kassa.ctx, db: watchedLooks(isListening.resolve) }), args, {
    stopped: stopping.signal,
    heard: (text) => {
      output += text
    },
  })
  // An event that is written before the first look is not new.
  await isListening.promise
  return {
    output: () => output,
    lines: () =>
      output
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    async stop() {
      stopping.abort()
      return (await ended).code
    },
  }
}

async function withListener(
  more: string[],
  work: (laptop: Receiver, shop: Shop, listener: Listener) => Promise<void>,
  answer: (index: number) => number = () => 200,
): Promise<void> {
  const laptop = await startReceiver(answer)
  const shop = await openShop(kassa.ctx)
  const listener = await listen(shop, laptop.url, ...more)
  try {
    await work(laptop, shop, listener)
  } finally {
    expect(await listener.stop()).toBe(0)
    await laptop.close()
  }
}

test('every new event is forwarded with its usual signature, and its own delivery does not change', async () => {
  await withListener([], async (laptop, shop, listener) => {
    await pay(shop, 'heard')
    const [delivery] = (await laptop.until(1)) as [Received]
    expect(orders(laptop.received)).toEqual(['heard'])
    expect(isSignedWith(delivery, shop.webhookSecret)).toBe(true)
    const { webhookSecret } = await rotateWebhookSecret(kassa.ctx, shop.merchantId, '1h')
    await pay(shop, 'heard-2')
    const [, second] = (await laptop.until(2)) as [Received, Received]
    expect([webhookSecret, shop.webhookSecret].map((secret) => isSignedWith(second, secret))).toEqual([
      true,
      true,
    ])
    await expect
      .poll(listener.output)
      .toMatch(
        /\d\d:\d\d:\d\d UTC {2}evt_\w+ {2}paid {2}heard {2}200 in \d+ ms\n[\s\S]* {2}heard-2 {2}200 in \d+ ms\n/,
      )
    const { stdout } = await operateHere(
      async () => kassa.ctx,
      ['event', 'list', '--merchant', shop.merchantId, '--json'],
    )
    expect(JSON.parse(stdout).events).toMatchObject([
      { state: 'unaddressed', attempts: 0 },
      { state: 'unaddressed', attempts: 0 },
    ])
  })
})

test('a rejected event is reported with advice, and the next event is forwarded', async () => {
  await withListener(
    ['--json'],
    async (laptop, shop, listener) => {
      await pay(shop, 'refused')
      await laptop.until(1)
      await pay(shop, 'taken')
      await laptop.until(2)
      await expect.poll(() => listener.lines().length).toBe(2)
      expect(listener.lines()).toMatchObject([
        { merchantOrderId: 'refused', status: 'paid', accepted: false, statusCode: 401 },
        { merchantOrderId: 'taken', accepted: true, statusCode: 200, advice: null },
      ])
      expect(listener.lines()[0]?.advice).toContain('secret')
    },
    (index) => (index === 0 ? 401 : 200),
  )
})

test('if nothing listens on the laptop, the command says so and continues', async () => {
  const gone = await startReceiver()
  await gone.close()
  const shop = await openShop(kassa.ctx)
  const listener = await listen(shop, gone.url)
  await pay(shop, 'lost')
  await expect.poll(listener.output).toMatch(/ECONNREFUSED[\s\S]*Start the receiver/)
  expect(await listener.stop()).toBe(0)
})

test('a replayed event is forwarded too, and --since forwards earlier events', async () => {
  const before = await openShop(kassa.ctx)
  await pay(before, 'old')
  const laptop = await startReceiver()
  const listener = await listen(before, laptop.url, '--since', '10m')
  try {
    await laptop.until(1)
    await pay(before, 'new')
    await laptop.until(2)
    const eventId = laptop.received[0]?.event.id ?? ''
    await kassa.ctx.db.query(
      `insert into sandbox.receivers (merchant_id, url) values ($1, 'https://127.0.0.1:1/')
       on conflict (merchant_id) do update set url = excluded.url`,
      [before.merchantId],
    )
    await operateHere(async () => kassa.ctx, ['event', 'replay', '--event', eventId])
    await laptop.until(3)
    expect(orders(laptop.received)).toEqual(['old', 'new', 'old'])
    expect(laptop.received[2]?.body).toBe(laptop.received[0]?.body)
    // The line is printed after the event was sent.
    await expect.poll(() => listener.output()).toContain('(sent again)')
  } finally {
    await listener.stop()
    await laptop.close()
  }
})

test('events that commit late or out of order are all forwarded, each once', async () => {
  await withListener([], async (laptop, shop) => {
    const { body } = await createSession(kassa.url, shop, { key: 'late' })
    const event = (sequence: number, at: Date) => ({
      merchantId: shop.merchantId,
      paymentId: body.id,
      sequence,
      status: 'paid' as const,
      id: `evt_${sequence}`,
      state: 'unaddressed' as const,
      dueAt: null,
      createdAt: at,
      body: JSON.stringify({ id: sequence, payment: { merchantOrderId: String(sequence) } }),
    })
    /** Takes an id and writes the event. It is committed when the returned function is called. */
    const write = async (sequence: number): Promise<() => Promise<void>> => {
      const at = kassa.clock.now()
      const id = newId('sandbox', 'evt', shop.merchantId, at)
      const [isWritten, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const committed = inTransaction(kassa.ctx.db, async (tx) => {
        await insertEvent(tx, { ...event(sequence, at), id })
        isWritten.resolve()
        await mayCommit.promise
      })
      await isWritten.promise
      return () => {
        mayCommit.resolve()
        return committed
      }
    }
    const commits: (() => Promise<void>)[] = []
    for (let sequence = 100; sequence < 106; sequence++) commits.push(await write(sequence))
    // Each is committed after a later id was forwarded, or after an earlier one, or together with another.
    for (const [count, [first, second]] of [[5, 0], [3], [1, 4], [2]].entries()) {
      await Promise.all([first, second].map((at) => at !== undefined && commits[at]?.()))
      await laptop.until([2, 3, 5, 6][count] ?? 0)
    }
    // An event that is forwarded twice would come before this one, because each look reads the same window again.
    await (await write(106))()
    await laptop.until(7)
    expect(new Set(orders(laptop.received)).size).toBe(7)
    expect(laptop.received).toHaveLength(7)
  })
})

test('localhost works on its IPv4 and on its IPv6 address', { tags: ['long'] }, async () => {
  const laptop = await startReceiver()
  const shop = await openShop(kassa.ctx)
  const listener = await listen(shop, laptop.url.replace('127.0.0.1', 'localhost'))
  await pay(shop, 'at-home')
  await laptop.until(1)
  expect(await listener.stop()).toBe(0)
  await laptop.close()

  let taken = 0
  const six = createServer((_, response) => {
    taken++
    response.end()
  }).listen(0, '::1')
  const isThere = await Promise.race([
    once(six, 'listening').then(() => true),
    once(six, 'error').then(() => false),
  ])
  // A machine without IPv6 has only one address.
  if (!isThere) return
  const second = await listen(shop, `http://localhost:${(six.address() as AddressInfo).port}/hook`)
  await pay(shop, 'at-home-6')
  await expect.poll(() => taken).toBe(1)
  expect(await second.stop()).toBe(0)
  six.closeAllConnections()
  six.close()
})

test('a private address other than this machine is rejected before any event is read', async () => {
  const shop = await openShop(kassa.ctx)
  for (const url of [
    'http://10.0.0.1/',
    'https://192.168.1.2/hook',
    'http://shop.example/',
    'ftp://localhost/',
  ]) {
    const args = ['event', 'listen', '--merchant', shop.merchantId, '--forward', url]
    expect(await operateHere(async () => kassa.ctx, args)).toMatchObject({ code: 1, stdout: '' })
  }
})

test('as a process it exits with 0 at the first Ctrl-C, even while it waits for a response', {
  tags: ['long'],
}, async () => {
  const shop = await openShop(kassa.ctx)
  let isRequested = false
  const silent = createServer(() => {
    isRequested = true
  }).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
  const args = ['event', 'listen', '--merchant', shop.merchantId, '--forward', url]
  const child = startProcess(ENTRY, {
    args,
    env: { MODE: 'sandbox', SECRETS_KEY, DATABASE_URL: kassa.databaseUrl },
  })
  let output = ''
  child.stdout.on('data', (text) => {
    output += text
  })
  await expect.poll(() => output).toContain('Ctrl-C')
  await pay(shop, 'unanswered')
  await expect.poll(() => isRequested).toBe(true)
  child.kill('SIGINT')
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
  expect(output).toContain('Stopped. 0 events')
  silent.closeAllConnections()
  silent.close()
})
