/** A table that somebody has locked: requests are slow, or there are no connections left. */
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from '../../storage/db.ts'
import { createSession, sessionRequest } from '../calls.ts'
import { openShop } from '../harness.ts'
import { repeat, type Scene, watchDeployment } from './scene.ts'

/** Requests that create a payment wait for it. What is measured at a scrape does not. */
const TABLE = 'sandbox.idempotency_keys'

type Load = {
  what: string
  alert: string
  settings?: Record<string, string>
  everySeconds?: number
  /** For how long the table is locked each time. */
  lockMs: number
  callers: number
}

async function loadScene({ what, alert, settings, everySeconds, lockMs, callers }: Load): Promise<Scene> {
  const { kassa, running, target, close } = await watchDeployment(settings, everySeconds)
  const shop = await openShop(kassa.ctx)
  let orders = 0
  const lock = async () => {
    const tx = await connect(kassa.ctx.db)
    await tx.query(`begin; lock table ${TABLE} in access exclusive mode`)
    await sleep(lockMs)
    await tx.query('rollback')
    tx.release()
  }
  const create = () => {
    const body = sessionRequest({ merchantOrderId: `load-${++orders}` })
    return createSession(running.process.url, shop, { key: `load-${orders}`, body })
  }
  return {
    target,
    close,
    causes: [
      {
        what,
        alerts: [alert],
        async begin(ended) {
          repeat(ended, 100, lock)
          for (let caller = 0; caller < callers; caller++) repeat(ended, 50, create)
        },
        // The locks and the requests end with the cause.
        mend: async () => {},
      },
    ],
  }
}

export const slowScene = () =>
  loadScene({
    what: 'a transaction locks a table for 4 s, again and again',
    alert: 'KassaSlow',
    lockMs: 4_000,
    callers: 4,
  })

/** A scrape needs connections itself, so it gets more time than the test's other scrapes, and less than Prometheus gives. */
export const connectionsScene = () =>
  loadScene({
    what: 'a transaction locks a table for 12 s, and 12 requests share 2 connections',
    alert: 'KassaConnectionsShort',
    settings: { POOL_MAX: '2' },
    everySeconds: 7,
    lockMs: 12_000,
    callers: 12,
  })
