/**
 * The archive on an empty Debian with a real systemd: installed by the commands of the guides, upgraded and taken back while buyers
 * pay, hung, broken, and backed up by its timers. Without a systemd that can be booted here, the tests say so and are skipped.
 */
import { execFile } from 'node:child_process'
import { copyFile, cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bootDebian, type Debian } from '../testing/processes/debian.ts'
import { VERSION } from '../version.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** The version of the invented upgrade. */
const AHEAD = VERSION.replace(/\d+$/, (patch) => String(Number(patch) + 1))
const MIGRATIONS = {
  '0900_gift_note.sql': '-- oldest version: 0.2.0\nalter table world.payments add column gift_note text;\n',
  '0901_payments_by_gift.sql':
    '-- oldest version: 0.2.0\ncreate index concurrently if not exists payments_by_gift on world.payments (gift_note);\n',
}
/** Makes the event loop of a process hang, through Node's inspector. */
const HANG = `process.kill(Number(process.argv[2]), 'SIGUSR1')
const listed = () => fetch('http://127.0.0.1:9229/json').then((answer) => answer.json(), () => null)
let found = null
for (let tries = 0; !found && tries < 240; tries++) {
  await new Promise((end) => setTimeout(end, 250))
  found = await listed()
}
const [{ webSocketDebuggerUrl }] = found
const socket = new WebSocket(webSocketDebuggerUrl); await new Promise((end) => { socket.onopen = end })
socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression: 'for (;;);' } }))
await new Promise((end) => setTimeout(end, 1500)); process.exit(0)`

let debian: Debian | string
let released: string
beforeAll(async () => {
  debian = await bootDebian()
  if (typeof debian === 'string') return console.warn(`Skipped: ${debian}.`)
  released = await mkdtemp(join(tmpdir(), 'kassa-released-'))
  const build = ['server/release/main.ts', '--uncommitted', '--out', released]
  await promisify(execFile)(process.execPath, build, { cwd: ROOT })
  for (const file of await readdir(released))
    await copyFile(join(released, file), join(debian.directory, 'root', file))
  const buyers = fileURLToPath(new URL('../testing/processes/patient-buyers.ts', import.meta.url))
  await copyFile(buyers, join(debian.directory, 'root/buyers.ts'))
  await writeFile(join(debian.directory, 'root/hang.mjs'), HANG)
})
afterAll(async () => {
  if (typeof debian === 'object') await debian.end()
  if (released) await rm(released, { recursive: true })
})

/** A test on the machine. The tests run one after the other, each on what the one before left. */
function onDebian(name: string, body: (machine: Debian) => Promise<void>): void {
  test(name, async ({ skip }) => {
    if (typeof debian === 'string') return skip(debian)
    await body(debian)
  })
}

/** The commands of a guide between two texts, one line each. */
async function commandsOf(guide: string, from: string, to: string): Promise<string[]> {
  const text = await readFile(join(ROOT, 'server/guides', guide), 'utf8')
  const [, part = ''] = text.split(from)
  const examples = part.split(to)[0]?.matchAll(/^```sh\n(.*?)^```/gms) ?? []
  return [...examples]
    .flatMap(([, example = '']) => example.trim().split('\n'))
    .map((line) => line.replace('npm run -s admin --', '/opt/kassa/kassa admin'))
}

const served = (machine: Debian) => machine.run('curl -s http://localhost:3000/api/health')

/** The machine may be busy. */
const PATIENCE = { timeout: 120_000, interval: 1_000 }

/** Runs a line that ends the service, and waits until systemd has started it again. */
async function expectRestart(machine: Debian, line: string): Promise<void> {
  const restarts = async () => Number(await machine.expect('systemctl show kassa -p NRestarts --value'))
  const before = await restarts()
  await machine.expect(line)
  try {
    await expect.poll(restarts, PATIENCE).toBe(before + 1)
    await expect
      .poll(async () => (await machine.run('systemctl is-active kassa')).output.trim(), PATIENCE)
      .toBe('active')
  } catch (error) {
    console.error(await machine.expect('journalctl --unit kassa --lines 60 --no-pager'))
    throw error
  }
}

onDebian(
  'every command of the guide on deploying works as printed, and the service is active when it is ready',
  async (machine) => {
    for (const line of await commandsOf(
      'deploying.md',
      '## Run the archive under systemd',
      '## Put a reverse proxy',
    )) {
      const output = await machine.expect(line)
      if (line.startsWith('openssl')) {
        const settings = join(machine.directory, 'etc/kassa/kassa.env')
        const text = await readFile(settings, 'utf8')
        await writeFile(settings, text.replace(/^SECRETS_KEY=$/m, `SECRETS_KEY=${output.trim()}`))
      }
      if (line.includes('enable --now kassa'))
        expect(await machine.expect('curl -s http://localhost:3000/readyz')).toContain('"ready":true')
      if (line.endsWith('merchant list')) expect(output).toContain('Urts tea, Yerevan')
    }
  },
)

onDebian('the timers of the guide on backups are set, and the backup and its check run', async (machine) => {
  for (const line of await commandsOf('backup.md', '## Back up', '## Verify the backup'))
    await machine.expect(line)
  await machine.expect('systemctl start kassa-backup.service')
  await machine.expect('systemctl start kassa-verify.service')
  expect(await machine.expect('systemctl list-timers --no-pager')).toMatch(
    /kassa-backup\.timer(.|\n)*kassa-verify\.timer/,
  )
  expect(await machine.expect('ls /var/backups/kassa | wc -l')).toBe('2\n')
})

/** Waits until a unit that a timer has started has ended well once more. */
async function expectRun(machine: Debian, unit: string, timer: string): Promise<void> {
  const ends = async () => Number((await machine.run(`journalctl --unit ${unit} | grep -c Finished`)).output)
  const before = await ends()
  await machine.expect(timer)
  await expect.poll(ends, PATIENCE).toBe(before + 1)
  expect(await machine.expect(`systemctl show ${unit} -p Result --value`)).toBe('success\n')
}

onDebian(
  'the backup starts by the clock, and a check that the machine has missed is made up for',
  async (machine) => {
    const at = (await machine.expect("date -d '20 seconds' '+%F %T'")).trim()
    const soon = `[Timer]\nOnCalendar=\nOnCalendar=${at}\nRandomizedDelaySec=0\nAccuracySec=1s\n`
    await machine.expect('mkdir /etc/systemd/system/kassa-backup.timer.d')
    await writeFile(join(machine.directory, 'etc/systemd/system/kassa-backup.timer.d/soon.conf'), soon)
    await expectRun(
      machine,
      'kassa-backup',
      'systemctl daemon-reload && systemctl restart kassa-backup.timer',
    )
    expect(await machine.expect('ls /var/backups/kassa | wc -l')).toBe('3\n')
    // The machine was off on the first day of the month. The unit is the one of the guide.
    await expectRun(
      machine,
      'kassa-verify',
      "touch -d '40 days ago' /var/lib/systemd/timers/stamp-kassa-verify.timer && systemctl restart kassa-verify.timer",
    )
  },
)

onDebian('an upgrade and the way back lose no order of the buyers who pay meanwhile', async (machine) => {
  const one = (await machine.expect('readlink /opt/kassa')).trim()
  await cp(join(machine.directory, one), join(machine.directory, '/opt/two'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  await machine.expect(
    `cd /opt/two && sed -i 's/"version": "${VERSION}"/"version": "${AHEAD}"/' package.json && mv .dist/widget/${VERSION} .dist/widget/${AHEAD}`,
  )
  for (const [name, text] of Object.entries(MIGRATIONS))
    await writeFile(join(machine.directory, 'opt/two/server/storage/migrations/world', name), text)
  const token = /ksk_\w+/.exec(await machine.expect('journalctl --unit kassa | grep "Demo token"'))?.[0]
  const buying = machine.expect(`/opt/two/bin/node buyers.ts ${token} 3 /root/enough`)
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  const upgraded = await machine.expect('/opt/two/kassa upgrade --yes')
  expect(upgraded).toMatch(/0900_gift_note(.|\n)*0901_payments_by_gift/)
  expect(upgraded).toContain(`Version ${AHEAD} is ready`)
  expect((await served(machine)).output).toContain(`"version":"${AHEAD}"`)
  expect(await machine.expect('/opt/kassa/kassa back')).toContain(`Version ${VERSION} is ready`)
  expect((await served(machine)).output).toContain(`"version":"${VERSION}"`)
  await machine.expect('touch /root/enough')
  const { orders, paid, payments, repeated } = JSON.parse(await buying)
  console.info(`${orders} orders during an upgrade and the way back, ${repeated} requests repeated`)
  expect(orders).toBeGreaterThan(3)
  expect({ paid, payments }).toEqual({ paid: orders, payments: orders })
})

onDebian('a version that crashes and a version that hangs are not kept', async (machine) => {
  for (const main of ["throw new Error('broken')", 'setInterval(() => {}, 1000)']) {
    await writeFile(join(machine.directory, 'opt/two/server/main.ts'), main)
    expect(await machine.run('/opt/two/kassa upgrade --yes')).toMatchObject({
      code: 1,
      output: expect.stringContaining(`Version ${VERSION} runs again`),
    })
    expect((await served(machine)).output).toContain(`"version":"${VERSION}"`)
  }
})

onDebian('a process whose loop hangs is restarted, and one that is killed', async (machine) => {
  await expectRestart(machine, '/opt/kassa/bin/node hang.mjs $(systemctl show kassa -p MainPID --value)')
  expect(await machine.expect('journalctl --unit kassa --since -5min')).toContain('Watchdog timeout')
  await expectRestart(machine, 'systemctl kill --kill-whom=main --signal=KILL kassa')
  expect(await machine.expect('curl -s http://localhost:3000/readyz')).toContain('"ready":true')
})
