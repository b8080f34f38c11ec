/** Which models a node serves. */
export interface ServedModels {
  readonly listed: readonly string[]
  /** Whether a request for this model is answered; a scripted one says by its script that it is meant for this node. */
  serves(model: string, isScripted: boolean): boolean
}

/** As engines do: what is not among the models is refused. */
export function exactModels(models: readonly string[]): ServedModels {
  return { listed: models, serves: (model) => models.includes(model) }
}

/**
 * Some gateways forward a request under another name of the model. What it is, they show in the first request of a run, which
 * is plain, and in each that follows a script; any other name is refused, even if it ends like the model's own.
 */
export function forwardedModels(models: readonly string[], learned: Set<string> = new Set()): ServedModels {
  const own = new Set(models.flatMap((model) => [model, tailOf(model)]))
  return {
    // A gateway that puts its provider before what nodes list would put it before a name that has one already.
    listed: [...new Set(models.flatMap((model) => [model, model.slice(model.lastIndexOf('/') + 1)]))],
    serves(model, isScripted) {
      if (isScripted || learned.size === 0) learned.add(model)
      return own.has(model) || learned.has(model)
    },
  }
}

/** The name behind the last `/`, `:` or `,`, where gateways put a provider in front of it. */
function tailOf(model: string): string {
  return model.split(/[/:,]/).at(-1) ?? model
}
