/** The walk of the guide on incidents: every command of every sheet, on a machine with one payment that is paid and one that is unclear. */
import { expect } from 'vitest'
import { ADMIN, PROXY, type Scene } from './scene.ts'
import type { Rule } from './walk.ts'

export const incidents = (scene: Scene): Rule[] => [
  { line: /^timedatectl/, not: 'it needs the clock service of systemd' },
  { line: /caddy|reload nginx|^openssl s_client/, not: PROXY },
  { line: /payment list --order/, before: () => prepare(scene) },
  // The code says whether something is to be mended, or runs.
  { line: /service doctor|kassa doctor|status 'postgresql|callback verify/, code: null, fill: scene.ids },
  {
    line: /payment resolve/,
    before: async () => {
      const shown = `${ADMIN} payment show --payment ${scene.nameOf('order-1002')} --json`
      scene.made.seen = await scene.first(/(?<="version":)\d+/, shown)
    },
    fill: () => ({
      'pay_...': scene.nameOf('order-1002'),
      '--version 2': `--version ${scene.nameOf('seen')}`,
    }),
  },
  {
    line: /secrets discard/,
    before: async () => {
      await scene.set('SECRETS_KEY', (await scene.run('openssl rand -base64 32')).trim())
      expect((await scene.machine.run('systemctl restart kassa')).code).toBe(1)
      scene.made['1f0c9a52d7e4'] = await scene.first(
        /(?<=key )[0-9a-f]{12}/,
        'journalctl --unit kassa --lines 20',
      )
    },
    fill: scene.ids,
  },
  {
    line: /^openssl rand/,
    before: () => scene.run('systemctl restart kassa'),
    after: async (output) => scene.set('SECRETS_KEY', `${output.trim()},${await scene.read('SECRETS_KEY')}`),
  },
  {
    line: /backup restore/,
    before: async () => {
      await scene.emptyData()
      // The backup needs the key of its time.
      await scene.set('SECRETS_KEY', scene.nameOf('secretsKey'))
    },
    fill: scene.backupName,
  },
  { line: /./, fill: scene.ids },
]

/** Makes what the ids of the examples stand for. */
async function prepare(scene: Scene): Promise<void> {
  const of = `--merchant ${scene.nameOf('mer_...')}`
  const customer = `${ADMIN} account customer --customer walked --json`
  const { secret } = JSON.parse(await scene.run(customer))
  await scene.run(`printf '%s' '${secret}' >secret.txt`, { folder: '/var/tmp' })
  const settings = `--set CUSTOMER=walked --set SECRET=${secret}`
  const account = `${ADMIN} account set ${of} --route route_b --driver sandbox ${settings}`
  const paid = scene.nameOf('order-1001')
  Object.assign(scene.made, { 'pay_...': paid, 'acc_...': await scene.first(/acc_\w+/, account) })
  await scene.run(`${ADMIN} payment refund --payment ${paid} --amount 1.00 --why "walked"`)
  for (const [noun, prefix] of [
    ['operation', 'opr'],
    ['event', 'evt'],
    ['token', 'tok'],
  ])
    scene.made[`${prefix}_...`] = await scene.first(
      new RegExp(`${prefix}_\\w+`),
      `${ADMIN} ${noun} list ${of}`,
    )
}
