/**
 * The tables of settings and of faults as Markdown. `npm run generate -- settings` writes them into `server/guides/settings.md` and
 * `server/guides/testing.md`.
 */
import { SANDBOX_FAULTS } from '../contract/faults.ts'
import { DRIVER_SETTINGS, type DriverSetting, FISCAL_DRIVER_SETTINGS, ROUTE_SETTINGS } from './route-table.ts'
import { SANDBOX_DEFAULTS } from './routes.ts'
import { GROUPS, type Group, type Setting } from './setting.ts'
import { SETTINGS } from './table.ts'

const TITLES: Record<Group, string> = {
  serving: 'Serving',
  database: 'Data',
  routes: 'Provider routes',
  events: 'Events',
  timing: 'Lifetimes and retries',
  limits: 'Rate limits',
  mail: 'Mail to buyers',
  operating: 'Operating',
}

const INTRODUCTION = `# Settings

<!-- Written by "npm run generate -- settings" from server/settings/. Change the table there, not this file. -->

Kassa reads its settings from environment variables. An empty variable counts as unset.
At its start the service checks all settings and reports every problem at once. If a setting is wrong, the service does not start.
A wrong setting of a route stops only that route. The service starts, and reports which route is not ready and why.
A variable that looks like a misspelt setting causes a warning.

The commands of the operator read the same variables and need the same values as the service.`

const ROUTES = `\`ROUTE_A_DRIVER\` to \`ROUTE_E_DRIVER\` name the driver of each route. A driver is our code for one provider.
In the names below \`x\` is the letter of the route: \`A\`, \`B\`, \`C\`, \`D\` or \`E\`.
The route \`manual\` has the driver \`manual\`, and a person confirms its payments. The names of its settings begin with \`ROUTE_MANUAL_\`.`

const SANDBOX = `In sandbox mode a route whose \`ROUTE_x_DRIVER\` is not set gets these values. Together they show every state of a route's
features: enabled, disabled and not configured.`

const KEYWORDS = '<!-- keywords: configuration, environment variables, env, options, config -->'

export function writeGuide(): string {
  const sections = GROUPS.map((group) => `## ${TITLES[group]}\n\n${sectionOf(group)}`)
  return `${[INTRODUCTION, ...sections, KEYWORDS].join('\n\n')}\n`
}

/** Returns the guide on testing with the table of the simulated bank's faults as it is now. */
export function writeFaults(guide: string): string {
  const rows = Object.entries(SANDBOX_FAULTS).map(([name, { wrong, seen }]) => [`\`${name}\``, wrong, seen])
  const table = tableOf(rows, ['`sandboxFault`', 'What goes wrong', 'What you see'])
  return guide.replace(/^\| `sandboxFault` \|.*(\n\|.*)*/m, () => table)
}

function sectionOf(group: Group): string {
  const rows = Object.values<Setting>(SETTINGS).filter((row) => row.group === group)
  const table = tableOf(rows.map(rowOf))
  return group === 'routes' ? [table, ...routeParts()].join('\n\n') : table
}

function rowOf(setting: Setting): string[] {
  const { name, about, mode, live, companion, needs, insteadOf } = setting
  const notes = [
    about,
    mode && `Only in ${mode} mode.`,
    insteadOf && `Set only one of ${[...insteadOf, name].map((each) => `\`${each}\``).join(', ')}.`,
    needs && `Needs \`${needs}\`.`,
    companion && `Has no effect without \`${companion}\`.`,
    live && `Live mode needs ${live.needs}.`,
  ]
  return [`\`${name}\``, `${takesOf(setting)}`, defaultOf(setting), notes.filter(Boolean).join(' ')]
}

function takesOf({ takes }: Pick<Setting, 'takes'>): string {
  const [, values] = /^one of (.*)$/.exec(takes) ?? []
  return values
    ? values
        .split(', ')
        .map((value) => `\`${value}\``)
        .join(', ')
    : takes.replaceAll(/\w+:\/\/\S*[^\s,.]|\S+@\S+[^\s,.]/g, (address) => `\`${address}\``)
}

function defaultOf({ default: value, unset = 'none', unit }: Setting): string {
  if (value === undefined || value === '') return unset
  if (typeof value === 'string') return [`\`${value}\``, unit, inDays(value, unit)].filter(Boolean).join(' ')
  const [sandbox, live] = [value.sandbox, value.live].map((each) => (each === '' ? 'none' : `\`${each}\``))
  return `${sandbox} (sandbox), ${live} (live)`
}

const LONGER_UNITS = [
  { seconds: 86_400, name: 'days' },
  { seconds: 3_600, name: 'hours' },
  { seconds: 60, name: 'minutes' },
]

/** Returns a long duration in days, hours or minutes, to be shown after the value. */
function inDays(value: string, unit: Setting['unit']): string | null {
  const longer = LONGER_UNITS.find(({ seconds }) => Number(value) % seconds === 0 && Number(value) > seconds)
  return unit === 'seconds' && longer ? `(${Number(value) / longer.seconds} ${longer.name})` : null
}

function routeParts(): string[] {
  const parts = [ROUTES, tableOf(ROUTE_SETTINGS.map(driverRow))]
  for (const [driver, rows] of Object.entries(DRIVER_SETTINGS))
    if (rows.length > 0) parts.push(`### With \`ROUTE_x_DRIVER=${driver}\``, tableOf(rows.map(driverRow)))
  for (const [driver, rows] of Object.entries(FISCAL_DRIVER_SETTINGS))
    if (rows.length > 0) parts.push(`### With \`ROUTE_x_FISCAL=${driver}\``, tableOf(rows.map(driverRow)))
  const defaults = Object.entries(SANDBOX_DEFAULTS).map(([name, value]) => `${name}=${value}`)
  return [...parts, `### Sandbox defaults`, SANDBOX, `\`\`\`sh\n${defaults.join('\n')}\n\`\`\``]
}

function driverRow({ name, takes, default: value, isNeeded, about }: DriverSetting): string[] {
  const unset = isNeeded ? 'none, must be set' : 'none'
  return [`\`ROUTE_x_${name}\``, takesOf({ takes }), value === null ? unset : `\`${value}\``, about]
}

function tableOf(rows: string[][], head = ['Name', 'Values', 'Default', 'Meaning']): string {
  const lines = [head, head.map(() => '---'), ...rows]
  return lines
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')
}
