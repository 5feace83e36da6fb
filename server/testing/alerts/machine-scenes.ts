/** What happens to a process, to its machine and to its database. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { inject } from 'vitest'
import { noteMove, raiseFence } from '../../storage/backup/fence.ts'
import { createSession, sessionRequest } from '../calls.ts'
import { openShop, spawnKassa } from '../harness.ts'
import { repeat, type Scene, type Watched, watchDeployment } from './scene.ts'

const run = promisify(execFile)
const LIFE_MS = 2_500

export async function processScene(): Promise<Scene> {
  const watched = await watchDeployment()
  const { running, settings, target, close } = watched
  return {
    target,
    close,
    causes: [
      {
        what: 'the process is stopped (SIGSTOP)',
        alerts: ['KassaDown'],
        begin: async () => void running.process.child.kill('SIGSTOP'),
        mend: async () => void running.process.child.kill('SIGCONT'),
      },
      {
        what: 'the process is killed again and again, and started again each time',
        alerts: ['KassaRestarting'],
        async begin(ended) {
          // Each process lives for some seconds, so that it is scraped.
          repeat(ended, LIFE_MS, async () => {
            await running.process.kill('SIGKILL')
            running.process = await spawnKassa(settings)
          })
        },
      },
    ],
  }
}

/** Statements that another role of the server runs while Kassa's database accepts nobody. */
async function maintain(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') })
  await client.connect()
  for (const text of statements) await client.query(text)
  await client.end()
}

export async function databaseScene(): Promise<Scene> {
  const watched = await watchDeployment()
  const { kassa, target, operate, close } = watched
  const { db } = kassa.ctx
  const name = new URL(kassa.databaseUrl).pathname.slice(1)
  const shop = await openShop(kassa.ctx)
  let orders = 0
  const disconnect = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`
  return {
    target,
    close,
    causes: [
      {
        what: 'the database accepts no connection, and requests go on',
        alerts: ['KassaNotReady', 'KassaServerErrors'],
        async begin(ended) {
          await maintain(`alter database ${name} with allow_connections false`, disconnect)
          repeat(ended, 100, () => {
            const body = sessionRequest({ merchantOrderId: `away-${++orders}` })
            return createSession(watched.running.process.url, shop, { key: `away-${orders}`, body })
          })
        },
        mend: () => maintain(`alter database ${name} with allow_connections true`),
      },
      {
        what: 'the role may not read one table',
        alerts: ['KassaReadingsMissing'],
        begin: async () => void (await db.query('revoke select on sandbox.receipts from current_user')),
        mend: async () => void (await db.query('grant select on sandbox.receipts to current_user')),
      },
      {
        what: 'a move was begun and left; mended with database reopen',
        alerts: ['KassaDatabaseMoved'],
        begin: async () => raiseFence(db, await noteMove(db, 'db.example/kassa', new Date())),
        mend: async () => void (await operate('database', 'reopen')),
      },
      clockCause(watched, name, disconnect),
    ],
  }
}

/** A function of the database's clock in front of PostgreSQL's own. The machine's clock belongs to others as well. */
function clockCause({ kassa }: Watched, name: string, disconnect: string): Scene['causes'][number] {
  const { db } = kassa.ctx
  return {
    what: "the database's clock is 10 s ahead (a function in its search path)",
    alerts: ['KassaClockWrong'],
    async begin() {
      await db.query(`create schema wrong; create function wrong.clock_timestamp() returns timestamptz language sql
        as $$ select pg_catalog.clock_timestamp() + interval '10 seconds' $$`)
      await maintain(`alter database ${name} set search_path = wrong, public, pg_catalog`, disconnect)
    },
    mend: () => maintain(`alter database ${name} reset search_path`, disconnect),
  }
}

/** The data directory on a small disk of its own, and the backups. */
export async function diskScene(): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'kassa-disk-'))
  const disk = join(folder, 'disk')
  await mkdir(disk)
  await run('mount', ['-t', 'tmpfs', '-o', 'size=4g', 'kassa-test', disk])
  const resize = (size: string) => run('mount', ['-o', `remount,size=${size}`, disk])
  const { kassa, target, operate, close } = await watchDeployment({ DATA_DIR: disk })
  let backups = 0
  const backUp = async () =>
    void (await operate('backup', 'create', '--to', join(folder, `backup-${++backups}`)))
  return {
    target,
    async close() {
      await close()
      await run('umount', [disk])
      await rm(folder, { recursive: true })
    },
    causes: [
      {
        what: 'the disk of DATA_DIR has 900 MB (a tmpfs)',
        alerts: ['KassaDiskFull'],
        begin: async () => void (await resize('900m')),
        mend: async () => void (await resize('4g')),
      },
      {
        what: 'no backup was ever made; mended with backup create',
        alerts: ['KassaBackupMissing'],
        begin: async () => {},
        mend: backUp,
      },
      {
        what: 'the last backup was made 27 hours ago (its time in the database is set back)',
        alerts: ['KassaBackupOld'],
        begin: async () =>
          void (await kassa.ctx.db.query("update kassa.backups set made_at = made_at - interval '27 hours'")),
        mend: backUp,
      },
    ],
  }
}
