import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { freePort } from './testing/harness.ts'
import { isGroupAlive, processesNaming, runNpm } from './testing/processes/npm-run.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const STOPS_WITHIN_MS = 120_000
const READY_WITHIN_MS = 120_000

let folder: string
let npm: ChildProcess | undefined
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-npm-'))
  await chmod(folder, 0o755)
  await makeCheckout()
})
afterEach(async () => {
  const group = npm?.pid
  // Stops a service that the test left running. It then stops its own database, which would keep running after a SIGKILL.
  if (group && isGroupAlive(group)) {
    process.kill(-group, 'SIGTERM')
    await expect.poll(() => isGroupAlive(group), { timeout: STOPS_WITHIN_MS }).toBe(false)
  }
}, 2 * STOPS_WITHIN_MS)
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

/**
 * A checkout with the project's own package.json and server. Only the widget's build does nothing, because a real build would
 * empty the folder that other tests read.
 */
async function makeCheckout(): Promise<void> {
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'))
  await symlink(join(ROOT, 'server'), join(folder, 'server'))
  const bin = join(folder, 'node_modules/.bin')
  await mkdir(bin, { recursive: true })
  await symlink(process.execPath, join(bin, 'node'))
  await writeFile(join(bin, 'vite'), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
}

/** Of the first start, which creates the database. */
let demoToken: string | undefined

test.skipIf(process.platform !== 'linux').each([
  ['npm alone', (npm: ChildProcess) => npm.kill('SIGTERM')],
  // A terminal's Ctrl-C and a service manager send the signal to both. npm also passes its own signal on, so the service gets
  // two.
  ['npm and the service at once', (npm: ChildProcess) => process.kill(-(npm.pid ?? 0), 'SIGTERM')],
])(
  'npm start prints the demo token, the same on each start, and SIGTERM to %s stops the service and its database and leaves no process behind',
  async (_, terminate) => {
    const port = await freePort()
    const run = runNpm(['start'], folder, {
      PORT: String(port),
      DATA_DIR: join(folder, 'data'),
      LOG_LEVEL: 'warn',
    })
    const { group, output } = run
    npm = run.npm
    await expect.poll(output, { timeout: READY_WITHIN_MS, interval: 100 }).toContain(' is ready after ')
    const token = /Demo token +(ksk_sandbox_\w+)/.exec(output())?.[1]
    demoToken ??= token
    expect([token, token]).toEqual([expect.any(String), demoToken])
    expect(await processesNaming(join(folder, 'data', 'postgres'))).not.toEqual([])

    const ended = once(npm, 'exit')
    terminate(npm)
    await ended
    await expect.poll(() => isGroupAlive(group), { timeout: STOPS_WITHIN_MS }).toBe(false)
    expect(await processesNaming(join(folder, 'data'))).toEqual([])
    await expect(fetch(`http://127.0.0.1:${port}/api/health`)).rejects.toThrow()
  },
  READY_WITHIN_MS + 2 * STOPS_WITHIN_MS,
)
