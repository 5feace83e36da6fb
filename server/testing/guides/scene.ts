/** What the walks of the guides share: the machine, what earlier lines have made, and short ways to prepare it. */
import { fileURLToPath } from 'node:url'
import type { Machine } from '../processes/borrowed-machine.ts'

export const NEW = '/var/tmp/new'
export const BACKUPS = '/var/backups/kassa'
export const ADMIN = '/opt/kassa/kassa admin'
export const OWN_DATABASE = 'postgres://kassa:secret@db.example:5432/kassa'
export const PROXY = 'a reverse proxy has its own test, proxies.test.ts'
export const CONTAINERS = 'no container can be made of this machine'
const SETTINGS = '/etc/kassa/kassa.env'
const PAY = `${process.execPath} ${fileURLToPath(new URL('../processes/pay-orders.ts', import.meta.url))}`
/** What stands for something in the examples: an id, or that of a key. */
const EXAMPLE = /\.\.\.$|^[0-9a-f]{12}$/

/** `released`: the folder with the archive. `made`: by its name in the examples, or by our own. */
export type Scene = ReturnType<typeof openScene>

export function openScene(machine: Machine, released: string) {
  const made: Record<string, string> = {}
  const run = machine.expect
  const nameOf = (name: string): string => made[name] ?? `no ${name}`
  const first = async (pattern: RegExp, line: string) => pattern.exec(await run(line))?.[0] ?? ''
  return {
    machine,
    released,
    made,
    run,
    nameOf,
    first,
    ids: () => Object.fromEntries(Object.entries(made).filter(([name]) => EXAMPLE.test(name))),
    /** Gives a setting of the machine another value. */
    set: (name: string, value: string) =>
      run(`sed -i '/^#\\?${name}=/d' ${SETTINGS} && echo '${name}=${value}' >>${SETTINGS}`),
    unset: (name: string) => run(`sed -i '/^${name}=/d' ${SETTINGS}`),
    read: async (name: string) => (await run(`sed -n 's/^${name}=//p' ${SETTINGS}`)).trim(),
    async noteBackup(): Promise<void> {
      made.backup = (await run(`ls -d ${BACKUPS}/kassa-backup-*Z | tail -n 1`)).trim()
    },
    backupName: () => ({ [`${BACKUPS}/kassa-backup-20260131T020000Z`]: nameOf('backup') }),
    /** Puts the data of the service aside, so that a backup can be restored. */
    emptyData: () =>
      run(
        'systemctl stop kassa && mv /var/lib/kassa "/var/lib/kassa.$(date +%s%N)" && install -d -o kassa -g kassa -m 0700 /var/lib/kassa',
      ),
    async asPostgres(...statements: string[]): Promise<void> {
      for (const statement of statements)
        await run(`psql --host=db.example --username=postgres --command="${statement}"`)
    },
    /** Two orders of the demo shop: one is paid, and nobody knows what became of the other. */
    async sell(): Promise<void> {
      const merchant = await first(/mer_\w+/, `${ADMIN} merchant list`)
      const token = await first(/ksk_\w+/, `${ADMIN} token issue --merchant ${merchant}`)
      const paid = await run(`${PAY} ${token} order-1001=paid order-1002=unknown`)
      Object.assign(made, { 'mer_...': merchant }, JSON.parse(paid))
    },
  }
}

/** Starts PostgreSQL as Debian installs it, with every role trusted. */
export async function startPostgres({ run }: Scene): Promise<void> {
  const programs = (await run('ls -d /usr/lib/postgresql/*/bin | tail -n 1')).trim()
  const data = '/var/lib/postgresql/walked'
  await run(`runuser -u postgres -- ${programs}/initdb --auth=trust --pgdata=${data}`)
  const unit = [
    '[Service]',
    `ExecStart=${programs}/postgres -D ${data} -k /run/postgresql`,
    'ExecStartPost=until pg_isready --quiet --host=db.example; do sleep 0.2; done',
    'User=postgres',
    `WorkingDirectory=${data}`,
  ]
  await run(`printf '%s\\n' '${unit.join("' '")}' >/etc/systemd/system/postgresql.service`)
  await run('systemctl start postgresql')
}
