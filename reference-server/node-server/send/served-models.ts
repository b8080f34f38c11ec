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
 * Some gateways forward a request under another name of the model. Such a name ends like the model's own, or it is the
 * first that the gateway asks for: that is the one the run was started with.
 */
export function forwardedModels(models: readonly string[]): ServedModels {
  const tails = new Set(models.map(tailOf))
  let first: string | undefined
  return {
    listed: models,
    serves(model, isScripted) {
      first ??= model
      return isScripted || model === first || tails.has(tailOf(model))
    },
  }
}

/** The name behind the last `/`, `:` or `,`, where gateways put a provider in front of it. */
function tailOf(model: string): string {
  return model.split(/[/:,]/).at(-1) ?? model
}
