/** `audit`: who did what. */
import { type AuditView, listActs } from '../../../audit/list.ts'
import { type Noun, verb } from '../../command.ts'
import { count, optional, past } from '../../flag.ts'
import { counted, paragraphs, table } from '../../layout.ts'

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List what was done, by whom and from where; the newest last',
  flags: {
    since: past('T', 'only what was done since this time'),
    who: optional('NAME', 'only what this operator did; service for the service itself'),
    merchant: optional('ID', 'only what concerns this merchant'),
    limit: count('N', 'the number of rows, the newest ones', { max: 10_000, fallback: 50 }),
  },
  examples: ['', '--since 7d --who "Ani Petrosyan"', '--merchant mer_01...'],
  async run(ctx, { since, who, merchant: merchantId, limit }) {
    const rows = await listActs(ctx, { since, who, merchantId, limit })
    const text =
      rows.length > 0
        ? paragraphs(
            table(['No.', 'When', 'Who', 'From', 'What', 'About', 'Change'], rows.map(cells)),
            counted(rows.length, 'row'),
          )
        : 'Nothing was recorded.'
    return { json: { rows }, text }
  },
})

function cells({ number, at, who, from, what, world, about, before, after }: AuditView): string[] {
  const where = world ? `${world} ` : ''
  return [String(number), at.slice(0, 19), who, from, what, `${where}${about}`, changeText(before, after)]
}

/** Both sides of each value that changed: `amount_minor 1500 > 1600`. */
function changeText(before: AuditView['before'], after: AuditView['after']): string {
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])
  const text = (value: unknown) => (value === undefined || value === null ? '-' : JSON.stringify(value))
  return [...names].map((name) => `${name} ${text(before?.[name])} > ${text(after?.[name])}`).join(', ')
}

export const audit: Noun = {
  name: 'audit',
  summary: 'List what was done, and check that nothing of it was changed',
  verbs: [list],
}
