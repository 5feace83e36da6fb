/** Starts crashing-main.ts: a Kassa in its own process, with a counting bank, that can kill itself. */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { SECRETS_KEY } from '../harness.ts'
import { startProcess, type TestProcess } from './child-process.ts'

const ENTRY = fileURLToPath(new URL('./crashing-main.ts', import.meta.url))

export type CrashingKassa = {
  /** The address. Nothing responds there if the process died before it was ready. */
  url: string
  child: TestProcess
  /** Resolves when the process has ended, to the point at which it killed itself, or null. */
  reached(): string | null
  ended: Promise<unknown>
}

export async function spawnCrashingKassa(given: {
  databaseUrl: string
  /** Empty: the provider of `settings` is used. */
  bankUrl: string
  settings?: Record<string, string>
  /** The point, and the number of the time at which it is reached. */
  crash?: { at: string; nth: number } | undefined
  leaseSeconds?: number
  /** The sweep that runs. By default the one that finishes creations. */
  sweep?: string
}): Promise<CrashingKassa> {
  const { databaseUrl, bankUrl, crash, leaseSeconds = 90, sweep = 'abandonedKeys', settings = {} } = given
  const env = {
    MODE: 'sandbox',
    DATABASE_URL: databaseUrl,
    BANK_URL: bankUrl,
    IDEMPOTENCY_LEASE: String(leaseSeconds),
    SECRETS_KEY,
    LOG_LEVEL: 'silent',
    RATE_LIMITS: 'off',
    SWEEP: sweep,
    CRASH_AT: crash?.at ?? '',
    CRASH_NTH: String(crash?.nth ?? 1),
    ...settings,
  }
  const child = startProcess(ENTRY, { env })
  child.stderr.pipe(process.stderr)
  const ended = once(child, 'exit')
  const { promise: ready, resolve } = Promise.withResolvers<string>()
  let text = ''
  child.stdout.on('data', (chunk) => {
    text += chunk
    const port = /ready (\d+)\n/.exec(text)?.[1]
    if (port) resolve(port)
  })
  const port = await Promise.race([ready, ended.then(() => '0')])
  const reached = () => /reached (.+)\n/.exec(text)?.[1] ?? null
  return { url: `http://127.0.0.1:${port}`, child, reached, ended }
}
