/**
 * Plays `systemctl` and `journalctl` on a machine without systemd: it starts what a unit names in ExecStart, as the unit's user, in its
 * directory, with its environment. It watches nothing, so it neither restarts a service nor starts one by the clock, and what a unit
 * forbids is not forbidden.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const UNITS = '/etc/systemd/system'
const STATE = '/run/units'
const PAUSE_MS = 200
const STOP_TRIES = 150
const NOT_ACTIVE = 3
const NO_UNIT = 5

/** The lines of the section Service, or Timer. A name may have several. */
type Unit = {
  name: string
  isTimer: boolean
  all(key: string): string[]
  one(key: string): string | undefined
}

function readUnit(name: string): Unit {
  const file = `${UNITS}/${name}`
  if (!existsSync(file)) fail(`Unit ${name} not found.`, NO_UNIT)
  const lines = readFileSync(file, 'utf8').split('\n')
  const all = (key: string) =>
    lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1))
  return { name, isTimer: name.endsWith('.timer'), all, one: (key) => all(key).at(-1) }
}

function fail(text: string, code = 1): never {
  console.error(text)
  process.exit(code)
}

const logOf = (unit: string) => `${STATE}/${unit}.log`
const pidOf = (unit: string) => `${STATE}/${unit}.pid`

function isActive(unit: string): boolean {
  const file = pidOf(unit)
  if (!existsSync(file)) return false
  const pid = Number(readFileSync(file, 'utf8'))
  if (pid === 0) return true
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function environmentOf(unit: Unit): Record<string, string> {
  const lines = unit.all('EnvironmentFile').flatMap((file) => readFileSync(file, 'utf8').split('\n'))
  const pairs = [...unit.all('Environment'), ...lines.filter((line) => /^\w+=/.test(line))]
  const entries = pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)])
  return { PATH: process.env.PATH ?? '', ...Object.fromEntries(entries) }
}

async function start(name: string): Promise<void> {
  const unit = readUnit(name)
  if (isActive(name)) return
  if (unit.isTimer) {
    if (!unit.one('OnCalendar')) fail(`${name} names no time.`)
    return writeFileSync(pidOf(name), '0')
  }
  const user = unit.one('User')
  const folder = unit.one('StateDirectory')
  if (folder && user) {
    const mode = unit.one('StateDirectoryMode') ?? '0755'
    spawnSync('install', ['-d', '-o', user, '-g', user, '-m', mode, `/var/lib/${folder}`], {
      stdio: 'inherit',
    })
  }
  const command = (unit.one('ExecStart') ?? '').split(' ')
  const asUser = user
    ? ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', ...command]
    : command
  const [program = '', ...words] = asUser
  const log = openSync(logOf(name), 'a')
  const env = environmentOf(unit)
  const options = {
    cwd: unit.one('WorkingDirectory') ?? '/',
    env,
    stdio: ['ignore', log, log] as ['ignore', number, number],
  }
  if (unit.one('Type') === 'oneshot') {
    const { status } = spawnSync(program, words, options)
    return status === 0 ? undefined : fail(`Job for ${name} failed. See "journalctl --unit ${name}".`)
  }
  const child = spawn(program, words, { ...options, detached: true })
  writeFileSync(pidOf(name), String(child.pid))
  const address = `http://127.0.0.1:${env.PORT ?? 3000}/readyz`
  const isReady = async () =>
    unit.one('Type') !== 'notify' ||
    (await fetch(address).then(
      ({ ok }) => ok,
      () => false,
    ))
  while (!(await isReady())) {
    if (child.exitCode !== null || child.signalCode !== null)
      fail(`Job for ${name} failed because the control process exited. See "journalctl --unit ${name}".`)
    await sleep(PAUSE_MS)
  }
  for (const line of unit.all('ExecStartPost')) spawnSync('sh', ['-c', line], { stdio: 'inherit' })
  child.unref()
}

async function stop(name: string): Promise<void> {
  if (!isActive(name)) return
  const pid = Number(readFileSync(pidOf(name), 'utf8'))
  for (let tries = 0; pid > 0 && isActive(name); tries++) {
    if (tries === 0) process.kill(pid, 'SIGTERM')
    if (tries === STOP_TRIES) process.kill(pid, 'SIGKILL')
    await sleep(PAUSE_MS)
  }
  rmSync(pidOf(name), { force: true })
}

const fullName = (word: string): string => (/\.(service|timer)$/.test(word) ? word : `${word}.service`)
const matching = (word: string): string[] =>
  word.includes('*') ? globSync(fullName(word), { cwd: UNITS }) : [fullName(word)]

const VERBS: Record<string, (unit: string) => unknown> = {
  start,
  stop,
  restart: async (unit) => {
    readUnit(unit)
    await stop(unit)
    await start(unit)
  },
  enable: readUnit,
  status: (unit) => {
    readUnit(unit)
    console.info(`${unit}: ${isActive(unit) ? 'active (running)' : 'inactive (dead)'}`)
    if (!isActive(unit)) process.exitCode = NOT_ACTIVE
  },
}

async function systemctl([verb = '', ...words]: string[]): Promise<void> {
  if (verb === 'daemon-reload') return
  const act = VERBS[verb] ?? fail(`Unknown command verb ${verb}.`)
  for (const unit of words.filter((word) => !word.startsWith('--')).flatMap(matching)) {
    await act(unit)
    if (words.includes('--now')) await start(unit)
  }
}

function journalctl(words: string[]): void {
  const after = (flag: string) => words[words.indexOf(flag) + 1] ?? ''
  if (!words.includes('--unit')) return
  const lines = Number(words.includes('--lines') ? after('--lines') : 1000)
  for (const unit of matching(after('--unit')))
    console.info(
      (existsSync(logOf(unit)) ? readFileSync(logOf(unit), 'utf8') : '').split('\n').slice(-lines).join('\n'),
    )
}

mkdirSync(STATE, { recursive: true })
const [program = '', ...words] = process.argv.slice(2)
if (program === 'journalctl') journalctl(words)
else await systemctl(words)
