import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { serveHere } from '../testing/serve-here.ts'

let folder: string
let database: TestDatabase
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-systemd-'))
  database = await createTestDatabase(inject('postgresUrl'))
  await writeFile(
    join(folder, 'systemd-notify'),
    `#!/bin/sh\necho "$NOTIFY_SOCKET $1" >>${join(folder, 'told')}\n`,
  )
  await chmod(join(folder, 'systemd-notify'), 0o755)
})
afterAll(async () => {
  await database.drop()
  await rm(folder, { recursive: true })
})

const notified = () => readFile(join(folder, 'told'), 'utf8').catch(() => '')

test('systemd is told that the service is ready, then regularly that it is alive, and at the end that it stops', async () => {
  const service = await serveHere({
    DATABASE_URL: database.url,
    PATH: `${folder}:${process.env.PATH}`,
    NOTIFY_SOCKET: '/run/systemd/notify',
    WATCHDOG_USEC: '200000',
  })
  await expect.poll(notified).toContain('WATCHDOG=1\n/run/systemd/notify WATCHDOG=1')
  await service.stop()
  await expect.poll(notified).toMatch(/STOPPING=1\n$/)
  expect(await notified()).toMatch(/^\/run\/systemd\/notify READY=1\n/)
})

test('without systemd nothing is told', async () => {
  const before = await notified()
  const service = await serveHere({ DATABASE_URL: database.url, PATH: `${folder}:${process.env.PATH}` })
  await service.stop()
  expect(await notified()).toBe(before)
})
