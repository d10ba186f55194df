export const scenariosIn = (_: string) => [];
