import { InvalidArgumentError } from 'commander'

/** Parses the value of a flag: a whole number that is at least `least`. */
export const atLeast = (least: number) => (text: string) => {
  const value = Number(text)
  if (!Number.isInteger(value) || value < least)
    throw new InvalidArgumentError(`It must be a whole number of at least ${least}.`)
  return value
}
