import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PROCESS_ENV } from '../testing/processes/child-process.ts'
import { EmbeddedError, type EmbeddedOptions, startEmbedded } from './embedded.ts'
import { explainOutput } from './error.ts'
import { isAlive, preparePlace } from './place.ts'
import { haltPostmaster, isPostmaster } from './postmaster.ts'

const run = promisify(execFile)
const dirs: string[] = []
const children: ChildProcess[] = []
let template = ''

/** Creates a stopped cluster to copy, because initdb is slow. */
beforeAll(async () => {
  template = await freshDir()
  const server = await startEmbedded({ dataDir: template })
  await query(server.url, "create table note as select 'kept' as body")
  await server.stop()
})

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  for (const dir of dirs) {
    const pid = await postmasterPid(dir)
    const place = { dataDir: dir, pgData: join(dir, 'postgres'), logFile: '', account: null }
    if (pid) await haltPostmaster(place, pid)
    await rm(dir, { recursive: true, force: true })
  }
})

describe.concurrent('the first start', () => {
  test('creates a cluster that accepts only its password, and only from this machine', async () => {
    // The copy keeps what initdb has written, and the modes of the files.
    const dataDir = await copyTemplate()
    const server = await startEmbedded({ dataDir })
    expect(server.adopted).toBe(false)
    expect(await query(server.url, 'show listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }])
    expect(await query(server.url, 'show fsync')).toEqual([{ fsync: 'on' }])
    expect(await query(server.url, "select upper('é') as u, 'b' < 'ä' as by_code_point")).toEqual([
      { u: 'É', by_code_point: true },
    ])
    await expect(query(server.url.replace(/:[0-9a-f]+@/, ':wrong@'), 'select 1')).rejects.toMatchObject({
      code: '28P01',
    })
    expect((await stat(join(dataDir, 'postgres'))).mode & 0o777).toBe(0o700)
    expect((await stat(join(dataDir, 'postgres', 'kassa.password'))).mode & 0o777).toBe(0o600)
    await server.stop()
  })

  test('works after another start was killed half-way', async () => {
    const dataDir = await freshDir()
    const child = startInChild({ dataDir })
    await until(async () => (await readdir(dataDir)).some((name) => name.includes('.tmp-')))
    await setTimeout(100)
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await readdir(dataDir)).not.toContain('postgres')
    const server = await startEmbedded({ dataDir })
    await server.stop()
    expect((await readdir(dataDir)).filter((name) => name.includes('.tmp-'))).toEqual([])
  })

  test('of two processes at the same time creates one server that both use', async () => {
    const dataDir = await freshDir()
    const [one, two] = [startInChild({ dataDir }), startInChild({ dataDir })]
    const answers = await Promise.all([answerOf(one), answerOf(two)])
    expect(answers.map(({ adopted }) => adopted).sort()).toEqual([false, true])
    expect(answers[0].url).toBe(answers[1].url)
    one.kill('SIGTERM')
    await once(one, 'exit')
    expect(await query(answers[1].url, 'select 1 as it')).toEqual([{ it: 1 }])
    two.kill('SIGTERM')
    await once(two, 'exit')
    expect(await postmasterPid(dataDir)).toBe(null)
  })
})

describe.concurrent('a later start', () => {
  test('finds the data of the first start, uses its own settings, and empties a large log', async () => {
    const dataDir = await copyTemplate()
    await truncate(join(dataDir, 'postgres.log'), 11 * 1024 * 1024)
    const server = await startEmbedded({ dataDir, settings: { max_connections: '20' } })
    expect(await query(server.url, 'select body from note')).toEqual([{ body: 'kept' }])
    expect(await query(server.url, 'show max_connections')).toEqual([{ max_connections: '20' }])
    expect((await stat(join(dataDir, 'postgres.log'))).size).toBeLessThan(10_000)
    await server.stop()
  })

  test('limits the log of a running server, and keeps its last lines in a second file', async () => {
    const dataDir = await copyTemplate()
    const log = join(dataDir, 'postgres.log')
    const server = await startEmbedded({ dataDir, revive: true, logCheckMs: 20 })
    // Only with this last piece is the file too large.
    await appendFile(log, 'x'.repeat(10 * 1024 * 1024 - 100_000))
    await appendFile(log, `${'x'.repeat(200_000)}the last line`)
    await until(async () => (await stat(log)).size < 10_000)
    expect((await readFile(`${log}.1`, 'utf8')).endsWith('the last line')).toBe(true)
    await query(server.url, 'select nothing').catch(() => undefined)
    await until(async () => /column "nothing" does not exist/.test(await readFile(log, 'utf8')))
    // PostgreSQL continues at the beginning of the file, and leaves no hole before its lines.
    expect((await stat(log)).size).toBeLessThan(10_000)
    await server.stop()
  })

  test('adopts the server that a killed process left behind, and stops it in the end', async () => {
    const dataDir = await copyTemplate()
    const child = startInChild({ dataDir })
    const { url } = await answerOf(child)
    child.kill('SIGKILL')
    await once(child, 'exit')
    const server = await startEmbedded({ dataDir })
    expect(server).toMatchObject({ adopted: true, url })
    await server.stop()
    expect(await postmasterPid(dataDir)).toBe(null)
  })

  test('adopts the server of a process that ended without stopping it', async () => {
    const dataDir = await copyTemplate()
    const child = startInChild({ dataDir }, 'leave')
    const [{ url }] = await Promise.all([answerOf(child), once(child, 'exit')])
    expect(child.exitCode).toBe(0)
    const server = await startEmbedded({ dataDir })
    expect(server).toMatchObject({ adopted: true, url })
    await server.stop()
  })

  test('recovers after the postmaster was killed', async () => {
    const dataDir = await copyTemplate()
    const first = await startEmbedded({ dataDir })
    await query(first.url, "insert into note values ('acknowledged')")
    process.kill(Number(await postmasterPid(dataDir)), 'SIGKILL')
    const second = await startEmbedded({ dataDir })
    expect(second.adopted).toBe(false)
    expect(await query(second.url, 'select count(*)::int from note')).toEqual([{ count: 2 }])
    await first.stop()
    expect(await query(second.url, 'select 1 as it')).toEqual([{ it: 1 }])
    await second.stop()
  })

  test('replaces a server that does not respond', async () => {
    const dataDir = await copyTemplate()
    await startEmbedded({ dataDir })
    const frozen = Number(await postmasterPid(dataDir))
    process.kill(frozen, 'SIGSTOP')
    const lines: string[] = []
    const server = await startEmbedded({ dataDir, onProgress: (line) => lines.push(line) })
    expect(server.adopted).toBe(false)
    expect(lines.join()).toContain(`process ${frozen}) does not respond`)
    await server.stop()
  })

  test('waits until a stopping server has stopped, and starts another', async () => {
    const dataDir = await copyTemplate()
    const first = await startEmbedded({ dataDir })
    const stopped = first.stop()
    const second = await startEmbedded({ dataDir })
    await stopped
    expect(await query(second.url, 'select 1 as it')).toEqual([{ it: 1 }])
    await second.stop()
  })

  test.each(['a process that is gone', 'a foreign process', 'nobody (an empty file)'])(
    'is not disturbed by the pid file of %s',
    async (whose) => {
      const dataDir = await copyTemplate()
      const { uid, gid } = await stat(join(dataDir, 'postgres'))
      const foreign = spawn('sleep', ['60'], { uid, gid, stdio: 'ignore' })
      children.push(foreign)
      if (whose.includes('gone')) {
        foreign.kill('SIGKILL')
        await once(foreign, 'exit')
      }
      const text = `${foreign.pid}\n${join(dataDir, 'postgres')}\n1700000000\n5432\n\n127.0.0.1\n  1 2\nready   \n`
      await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), whose.includes('empty') ? '' : text)
      const server = await startEmbedded({ dataDir })
      expect(server.adopted).toBe(false)
      await server.stop()
      if (whose.includes('foreign')) expect(isAlive(Number(foreign.pid))).toBe(true)
    },
  )

  test('does not touch the server of the directory from which this directory was copied', async () => {
    const original = await copyTemplate()
    const server = await startEmbedded({ dataDir: original })
    const dataDir = await copyTemplate(original)
    const other = await startEmbedded({ dataDir })
    expect(other).toMatchObject({ adopted: false })
    expect(other.url).not.toBe(server.url)
    await other.stop()
    expect(await query(server.url, 'select 1 as it')).toEqual([{ it: 1 }])
    await server.stop()
  })
})

describe.concurrent('a server that is killed', () => {
  test('is restarted at the same address with all acknowledged rows, several times', async () => {
    const dataDir = await copyTemplate()
    const lines: string[] = []
    const server = await startEmbedded({ dataDir, revive: true, onProgress: (line) => lines.push(line) })
    for (const round of [1, 2, 3]) {
      await query(server.url, `insert into note values ('round ${round}')`)
      process.kill(Number(await postmasterPid(dataDir)), 'SIGKILL')
      await until(async () => lines.filter((line) => line.endsWith('running again')).length === round)
      expect(await query(server.url, 'select count(*)::int from note')).toEqual([{ count: round + 1 }])
    }
    await server.stop()
    expect(await postmasterPid(dataDir)).toBe(null)
  })

  test('is restarted once for all processes that use it', async () => {
    const dataDir = await copyTemplate()
    const all = await Promise.all([1, 2, 3].map(() => startEmbedded({ dataDir, revive: true })))
    const killed = Number(await postmasterPid(dataDir))
    process.kill(killed, 'SIGKILL')
    await until(async () => ![null, killed].includes(await postmasterPid(dataDir)))
    for (const { url } of all)
      await until(async () => (await query(url, 'select 1 as it').catch(() => [])).length === 1)
    await Promise.all(all.map((server) => server.stop()))
    expect(await postmasterPid(dataDir)).toBe(null)
  })

  test('is not started again if it is killed while it is being stopped', async () => {
    const dataDir = await copyTemplate()
    const server = await startEmbedded({ dataDir, revive: true })
    process.kill(Number(await postmasterPid(dataDir)), 'SIGKILL')
    await server.stop()
    await setTimeout(500)
    expect(await postmasterPid(dataDir)).toBe(null)
  })
})

describe.concurrent('stop', () => {
  test('by the last process stops the server, whichever process started it', async () => {
    const dataDir = await copyTemplate()
    const first = await startEmbedded({ dataDir })
    const second = await startEmbedded({ dataDir })
    await Promise.all([first.stop(), first.stop()])
    expect(await query(second.url, 'select 1 as it')).toEqual([{ it: 1 }])
    await second.stop()
    expect(await postmasterPid(dataDir)).toBe(null)
  })

  test('by both processes at the same time still stops the server', async () => {
    const dataDir = await copyTemplate()
    const both = await Promise.all([startEmbedded({ dataDir }), startEmbedded({ dataDir })])
    await Promise.all(both.map((server) => server.stop()))
    expect(await postmasterPid(dataDir)).toBe(null)
  })

  test('by the last process stops the server even if the process that started it was killed', async () => {
    const dataDir = await copyTemplate()
    const child = startInChild({ dataDir })
    await answerOf(child)
    const guest = await startEmbedded({ dataDir })
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(guest.adopted).toBe(true)
    await guest.stop()
    expect(await postmasterPid(dataDir)).toBe(null)
  })

  test('by the last process stops the server even before the server has noticed that the others were killed', async () => {
    const dataDir = await copyTemplate()
    const child = startInChild({ dataDir })
    const { url } = await answerOf(child)
    const [held] = (await query(
      url,
      `select pid from pg_stat_activity where application_name like 'kassa-embedded%'`,
    )) as { pid: number }[]
    const guest = await startEmbedded({ dataDir })
    // Suspend the backend of the killed process, as a busy machine might.
    process.kill(Number(held?.pid), 'SIGSTOP')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const stopped = guest.stop()
    await setTimeout(300)
    process.kill(Number(held?.pid), 'SIGCONT')
    await stopped
    expect(await postmasterPid(dataDir)).toBe(null)
  })

  test('does not wait for an open pool or a killed backend', async () => {
    const dataDir = await copyTemplate()
    const server = await startEmbedded({ dataDir })
    const client = new Client({ connectionString: server.url })
    client.on('error', () => undefined)
    await client.connect()
    const { rows } = await client.query('select pg_backend_pid() as pid')
    // When a backend is killed, PostgreSQL restarts itself, which ends every connection.
    process.kill(rows[0].pid, 'SIGKILL')
    await setTimeout(50)
    await server.stop()
    expect(await postmasterPid(dataDir)).toBe(null)
  })
})

describe.concurrent('a start that fails says what to do when', () => {
  test('a file is where the data directory should be', async () => {
    const file = join(await freshDir(), 'file')
    await writeFile(file, '')
    expect(await refusal({ dataDir: file })).toMatch(
      /file is not a directory: remove that file, or set DATA_DIR/,
    )
    expect(await refusal({ dataDir: join(file, 'below') })).toMatch(/is not a directory/)
  })

  test.runIf(process.getuid?.() === 0)('the unprivileged account cannot enter the path', async () => {
    const closed = await freshDir()
    await chmod(closed, 0o700)
    expect(await refusal({ dataDir: join(closed, 'data') })).toMatch(
      /cannot enter .*: set DATA_DIR to a directory below \/var\/lib\/kassa/,
    )
    expect(await refusal({ dataDir: closed })).toMatch(/cannot enter .*: run chmod o\+x/)
  })

  test('the directory exists and is not a cluster', async () => {
    const dataDir = await freshDir()
    await mkdir(join(dataDir, 'postgres', 'photos'), { recursive: true })
    const { uid } = await stat(dataDir)
    expect(await refusal({ dataDir })).toMatch(uid === 0 ? /chown -R/ : /is not a PostgreSQL data directory/)
  })

  test('another major version created the cluster', async () => {
    const dataDir = await copyTemplate()
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '15\n')
    expect(await refusal({ dataDir })).toMatch(
      /created by PostgreSQL 15, and this version of Kassa contains PostgreSQL 18. Back the data up/,
    )
  })

  test('the password file is missing or wrong', async () => {
    const dataDir = await copyTemplate()
    const path = join(dataDir, 'postgres', 'kassa.password')
    await writeFile(path, 'another\n')
    expect(await refusal({ dataDir })).toMatch(/rejects the password .*Restore that file/)
    expect(await postmasterPid(dataDir)).toBe(null)
    await rm(path)
    expect(await refusal({ dataDir })).toMatch(/password file .* is missing: restore it/)
    expect(await postmasterPid(dataDir)).toBe(null)
  })

  test('the port is taken', async () => {
    const dataDir = await copyTemplate()
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    expect(await refusal({ dataDir, settings: { port: `${port}` } })).toMatch(
      /no port of 127.0.0.1 could be used/,
    )
    taken.close()
  })

  test('PostgreSQL reports a reason', async () => {
    const dataDir = await copyTemplate()
    const line = await refusal({ dataDir, settings: { shared_buffers: 'much' } })
    expect(line).toMatch(
      /could not be started: invalid value for parameter "shared_buffers": "much" \(see .*postgres.log/,
    )
  })

  test('the cluster is damaged', async () => {
    const dataDir = await copyTemplate()
    for (const name of await readdir(join(dataDir, 'postgres', 'pg_wal'))) {
      await rm(join(dataDir, 'postgres', 'pg_wal', name), { recursive: true })
    }
    expect(await refusal({ dataDir })).toMatch(
      /could not be started: could not locate a valid checkpoint record/,
    )
  })

  test('the disk is full', () => {
    const message = 'FATAL:  could not write to file "pg_wal/xlogtemp.31": No space left on device'
    expect(explainOutput(message, 'be started', '/data').message).toMatch(
      /disk that holds \/data is full: free some space/,
    )
  })
})

/** Creates a directory that another account can enter, as the system's directories can be. */
async function freshDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'kassa-embedded-'))
  await chmod(dir, 0o755)
  dirs.push(dir)
  return dir
}

async function copyTemplate(from = template): Promise<string> {
  const dir = await freshDir()
  // A running server creates and removes files during the copy.
  await run('cp', ['-a', `${from}/.`, dir]).catch(() => undefined)
  return dir
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

async function refusal(options: EmbeddedOptions): Promise<string> {
  const error = await startEmbedded(options).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(EmbeddedError)
  const { message } = error as EmbeddedError
  expect(message).not.toContain('\n')
  return message
}

async function postmasterPid(dataDir: string): Promise<number | null> {
  const text = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')
  const pid = Number(text.split('\n')[0])
  const place = await preparePlace(dataDir).catch(() => null)
  return pid && place && (await isPostmaster(place, pid)) ? pid : null
}

/** Starts a process that starts the server, prints the result, and stops the server at SIGTERM (or exits at once). */
function startInChild(options: EmbeddedOptions, then: 'stay' | 'leave' = 'stay'): ChildProcess {
  const script = `
    const { startEmbedded } = await import(${JSON.stringify(new URL('./embedded.ts', import.meta.url).href)})
    const server = await startEmbedded(${JSON.stringify(options)})
    process.stdout.write(JSON.stringify(server) + '\\n')
    if (${then === 'stay'}) {
      const timer = setInterval(() => {}, 1000)
      process.once('SIGTERM', async () => { await server.stop(); clearInterval(timer) })
    }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: PROCESS_ENV,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  return child
}

async function answerOf(child: ChildProcess): Promise<{ url: string; adopted: boolean }> {
  if (!child.stdout) throw new Error('no output to read')
  const [line] = await once(child.stdout, 'data')
  return JSON.parse(String(line))
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const limit = performance.now() + 15_000
  while (!(await condition())) {
    if (performance.now() > limit) throw new Error('the condition did not become true in time')
    await setTimeout(20)
  }
}
