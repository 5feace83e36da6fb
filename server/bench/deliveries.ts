/**
 * Sending events, beside a plain loop that posts the same bytes with the same HTTP client and concurrency. Both take turns, and post
 * to one fast receiver. The loop and the receiver have processes of their own.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { NO_MERCHANT, newId } from '../id.ts'
import type { Cell } from './rounds.ts'
import type { Checkout, Scene } from './scene.ts'

const HELPER = join(import.meta.dirname, 'poster.ts')
const MERCHANTS = 4
/** The concurrency with which the service posts to one receiver. */
const AT_ONCE = 4
const BODY = JSON.stringify({ type: 'payment.status_changed', filler: 'x'.repeat(900) })
const ASK_EVERY_MS = 10

export async function prepareDeliveries(scene: Scene): Promise<Cell[]> {
  const receiver = await startHelper(scene, ['receive'])
  const cells: Cell[] = []
  for (const checkout of scene.checkouts) cells.push(await startDelivering(scene, checkout, receiver.port))
  const loop = await startHelper(scene, ['post', `${receiver.port}`, `${AT_ONCE * MERCHANTS}`, BODY])
  const bare: Cell = {
    name: 'bare',
    pids: [loop.child.pid ?? 0],
    async work({ count = 0 }) {
      const posted = once(loop.child, 'message')
      loop.child.send(count)
      const [seconds] = (await posted) as [number]
      return { done: count, refused: 0, seconds, latenciesMs: new Float64Array() }
    },
  }
  return [...cells, bare]
}

async function startHelper(
  { stack }: Scene,
  words: string[],
): Promise<{ child: ChildProcess; port: number }> {
  const child = fork(HELPER, words)
  stack.defer(() => void child.disconnect())
  const [port] = (await once(child, 'message')) as [number]
  return { child, port }
}

async function startDelivering({ stack }: Scene, checkout: Checkout, port: number): Promise<Cell> {
  const { name, start, db } = checkout
  const merchants = await openReceivers(checkout, port)
  const server = await start()
  stack.defer(server.stop)
  await server.port
  let promised = 0
  return {
    name,
    pids: [server.pid],
    async work({ count = 0 }) {
      promised += count
      return {
        done: count,
        refused: 0,
        seconds: await deliver(checkout, merchants, count),
        latenciesMs: new Float64Array(),
      }
    },
    async verify() {
      const { rows } = await db.query(
        `select count(distinct event_id)::int as events, count(*)::int as rows from sandbox.deliveries where status_code = 200`,
      )
      if (rows[0].events !== promised || rows[0].rows !== promised)
        throw new Error(
          `${name} sent ${promised} events, but noted ${rows[0].rows} deliveries of ${rows[0].events} events.`,
        )
    },
  }
}

/** Creates merchants who get their events at the receiver. */
async function openReceivers({ admin }: Checkout, port: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < MERCHANTS; index++)
    ids.push(
      await admin(
        /"(mer_\w+)"/,
        'merchant',
        'create',
        '--name',
        `Receiver ${index}`,
        '--callback-url',
        `http://127.0.0.1:${port}/${index}`,
      ),
    )
  return ids
}

/** Writes events as a change of status does, and returns the seconds until the last one is noted as delivered. */
async function deliver(checkout: Checkout, merchants: string[], count: number): Promise<number> {
  const { db } = checkout
  const now = new Date()
  const owners = Array.from({ length: count }, (_, index) => merchants[index % merchants.length] ?? '')
  // Earlier builds have ids of merchants of another form.
  const ids = owners.map(() => newId('sandbox', 'evt', NO_MERCHANT, now))
  await db.query(
    `with written as (
       insert into sandbox.events (merchant_id, id, payment_id, sequence, status, body, due_at, created_at)
       select merchant_id, id, id, 1, 'paid', $3, $4, $4 from unnest($1::text[], $2::text[]) as e (merchant_id, id)
       returning merchant_id, id)
     ${await wakeOf(checkout)}`,
    [owners, ids, BODY, now],
  )
  const written = performance.now()
  for (;;) {
    const { rows } = await db.query(
      'select exists (select from sandbox.events where due_at is not null and merchant_id = any($1)) as waits',
      [merchants],
    )
    if (!rows[0].waits) return (performance.now() - written) / 1000
    await sleep(ASK_EVERY_MS)
  }
}

/** Earlier builds add a job for each event. What it costs their workers is a part of their figures. */
async function wakeOf({ root }: Checkout): Promise<string> {
  const files = ['server/payments/transition.ts', 'server/receivers/announce.ts']
  const sources = files.map((file) => readFile(join(root, file), 'utf8').catch(() => ''))
  return (await Promise.all(sources)).some((source) => source.includes('jobKey: id'))
    ? `select sandbox_jobs.add_job('deliver_event', json_build_object('merchantId', merchant_id, 'eventId', id), job_key => id) from written`
    : `select sandbox_jobs.add_job('deliver_event', json_build_object('merchantId', merchant_id), job_key => 'due ' || merchant_id)
       from (select distinct merchant_id from written) as due`
}
