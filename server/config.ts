/** The settings as the service uses them. The environment is checked once, at the start, against the table in `settings/`. */
import { checkSettings } from './settings/check.ts'
import { routeSettingsOf, SANDBOX_PREFIX } from './settings/routes.ts'
import { nameOf, type Settings } from './settings/table.ts'

export type Config = Settings & {
  /** Whether MODE is set explicitly. */
  isModeSet: boolean
  /** The SANDBOX_ROUTE_* settings, without their first word. They configure the sandbox's routes beside a live world. */
  sandboxRouteSettings: Record<string, string>
  /** The ROUTE_* settings, read by `settings/routes.ts` against each driver's own schema. */
  routeSettings: Record<string, string>
  /** One line for each variable that looks like a misspelt setting. */
  misspelt: string[]
  /** One line for each setting that has no effect, or that live mode should have. */
  warnings: string[]
}

/** The settings in the environment are not valid. `problems` has one line for each setting. */
export class ConfigError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`Kassa cannot start with these settings:\n${problems.map((line) => `  ${line}`).join('\n')}`)
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** An empty variable counts as unset, because shells and compose files often leave empty ones. */
function givenOnly(environment: Record<string, string | undefined>): Record<string, string> {
  const set = Object.entries(environment).filter((entry): entry is [string, string] => !!entry[1])
  return Object.fromEntries(set)
}

/**
 * Reads the settings from an environment.
 * @throws ConfigError that names every wrong or missing setting, and also lists the warnings
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const given = givenOnly(environment)
  const { values, errors, routes, misspelt, warnings } = checkSettings(given)
  if (errors.length > 0) throw new ConfigError([...errors, ...routes, ...misspelt, ...warnings])
  return {
    // Without errors every row has its value.
    ...(values as Settings),
    isModeSet: given[nameOf('mode')] !== undefined,
    routeSettings: routeSettingsOf(given, ''),
    sandboxRouteSettings: routeSettingsOf(given, SANDBOX_PREFIX),
    misspelt,
    warnings,
  }
}
