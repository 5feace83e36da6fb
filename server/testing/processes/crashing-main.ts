/**
 * A whole Kassa that kills itself at a named point: `CRASH_AT`, the `CRASH_NTH` time that it is reached. The points are before
 * and after its statements, its calls of the provider and its responses. They are added from outside, and the service's own
 * code has none.
 * It also runs one sweep: `SWEEP`, by default the one that finishes creations. `BANK_URL`: the provider. Without it, the
 * provider of the settings is used. It writes `ready <port>` and `reached <point>` to standard output.
 */
import { writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp } from '../../app.ts'
import { releaseWidget } from '../../channels/widget-release.ts'
import { readConfig } from '../../config.ts'
import { openService } from '../../service.ts'
import type { Db, Tx } from '../../storage/db.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { countingBankDriver } from '../providers/counting-bank.ts'

const SWEEP_MS = 200
const { CRASH_AT = '', CRASH_NTH = '1', BANK_URL = '', SWEEP = 'abandonedKeys' } = process.env
let timesLeft = Number(CRASH_NTH)

function reach(point: string): void {
  if (point !== CRASH_AT || --timesLeft > 0) return
  writeSync(1, `reached ${point}\n`)
  process.kill(process.pid, 'SIGKILL')
}

type Ask = (...question: unknown[]) => Promise<unknown>

function watched(ask: Ask): Ask {
  return async (...question) => {
    const name = (question[0] as { name?: string } | undefined)?.name?.replace(/^sandbox\./, '')
    if (name) reach(`before ${name}`)
    const answer = await ask(...question)
    if (name) reach(`after ${name}`)
    return answer
  }
}

/** Adds a point before and a point after every named statement of the pool, inside and outside of transactions. */
function watchStatements(db: Db): void {
  const connect = db.connect.bind(db) as (...args: unknown[]) => Promise<Tx>
  db.query = watched(db.query.bind(db) as Ask) as unknown as Db['query']
  // The pool itself connects with a callback. Only transactions connect without one.
  db.connect = ((...args: unknown[]) =>
    args.length > 0 ? connect(...args) : connect().then(watchClient)) as Db['connect']
}

function watchClient(client: Tx): Tx {
  return new Proxy(client, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return name === 'query' ? watched(member.bind(target)) : member.bind(target)
    },
  })
}

const server = createServer().listen(0, '127.0.0.1')
const { ctx } = await openService(readConfig(process.env))
watchStatements(ctx.db)
if (BANK_URL) ctx.routes.route_a.driver = countingBankDriver(BANK_URL, reach)
const app = createApp({ sandbox: ctx }, { widget: await releaseWidget(ctx) })
server.on('request', (request, response) => {
  const end = response.end.bind(response) as (...args: unknown[]) => typeof response
  response.end = ((...args: unknown[]) => {
    reach('before answer')
    return end(...args)
  }) as typeof response.end
  response.once('finish', () => reach('after answer'))
  app(request, response)
})
writeSync(1, `ready ${(server.address() as AddressInfo).port}\n`)
for (;;) {
  await sleep(SWEEP_MS)
  await SWEEPS[SWEEP as keyof typeof SWEEPS](ctx).catch(() => {})
}
