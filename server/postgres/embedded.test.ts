/** The way of one cluster that is killed. `npm run test:long -- backups` tries every way to start, to share, to kill and to stop it. */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startEmbedded } from './embedded.ts'

let dataDir: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'kassa-embedded-'))
  // The server may run as another account.
  await chmod(dataDir, 0o755)
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return client
    .query(sql)
    .then(
      ({ rows }) => rows,
      (error) => Promise.reject(error),
    )
    .finally(() => client.end())
}

test('a new cluster accepts only its password, keeps what it acknowledged when it is killed, and stops with its last user', {
  tags: ['long'],
}, async () => {
  const progress: string[] = []
  const isAgain = Promise.withResolvers<void>()
  const onProgress = (line: string) => {
    progress.push(line)
    if (line.endsWith('running again')) isAgain.resolve()
  }
  const first = await startEmbedded({ dataDir, revive: true, onProgress })
  expect(first.adopted).toBe(false)
  expect(await query(first.url, 'show listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }])
  expect(await query(first.url, 'show fsync')).toEqual([{ fsync: 'on' }])
  await expect(query(first.url.replace(/:[0-9a-f]+@/, ':wrong@'), 'select 1')).rejects.toMatchObject({
    code: '28P01',
  })
  await query(first.url, `create table note as select 'acknowledged' as body`)
  const pidFile = join(dataDir, 'postgres', 'postmaster.pid')
  process.kill(Number((await readFile(pidFile, 'utf8')).split('\n')[0]), 'SIGKILL')
  await isAgain.promise
  expect(await query(first.url, 'select body from note')).toEqual([{ body: 'acknowledged' }])
  const second = await startEmbedded({ dataDir })
  expect(second).toMatchObject({ adopted: true, url: first.url })
  await first.stop()
  expect(await query(second.url, 'select body from note')).toHaveLength(1)
  await second.stop()
  await expect(readFile(pidFile)).rejects.toMatchObject({ code: 'ENOENT' })
})
