/**
 * A whole Kassa in its own process that kills itself at a named point: `CRASH_AT`, the `CRASH_NTH` time that it is reached. It
 * also runs one sweep: `SWEEP`. `STOPS`: it stops itself once, before it writes to the provider. `BANK_URL`: the provider.
 * Without it, the provider of the settings is used. It writes `ready <port>` and `reached <point>` to standard output.
 */
import { writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readConfig } from '../../config.ts'
import { KEEP_ALIVE_MS } from '../../http/server.ts'
import { openService } from '../../service.ts'
import { beforeWriting, runUntilDeath } from './crash-points.ts'

const { STOPS, CRASH_AT = '', CRASH_NTH = '1', BANK_URL = '', SWEEP = '' } = process.env

function die(point: string): void {
  writeSync(1, `reached ${point}\n`)
  process.kill(process.pid, 'SIGKILL')
}

function stop(): void {
  writeSync(1, 'reached before writing\n')
  process.kill(process.pid, 'SIGSTOP')
  // The signal stops all threads, this one perhaps a moment later.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
}

const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }).listen(0, '127.0.0.1')
const { ctx } = await openService(readConfig(process.env))
const run = { sweeps: [SWEEP], bankUrl: BANK_URL, crash: { at: CRASH_AT, nth: Number(CRASH_NTH) } }
await runUntilDeath(ctx, server, { run, die, isDead: () => false })
if (STOPS === 'true') beforeWriting(BANK_URL, stop)
writeSync(1, `ready ${(server.address() as AddressInfo).port}\n`)
