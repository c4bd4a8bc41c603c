package mcp

import (
	"encoding/json"
	"math"
	"math/big"
)

// numbers makes up numbers, 1 where it fits: most counts and sizes mean something
// with it. Else one at or near a bound.
func (s shape) numbers(whole bool) []any {
	low, high, step := s.number("minimum", "exclusiveMinimum"), s.number("maximum", "exclusiveMaximum"), s.number("multipleOf")
	if whole && (step == nil || !step.IsInt()) {
		step = one(step)
	}
	bases := []*big.Rat{big.NewRat(1, 1), big.NewRat(0, 1)}
	for _, bound := range []*big.Rat{low, high} {
		if bound != nil {
			bases = append(bases, bound)
		}
	}
	if low != nil && high != nil {
		middle := new(big.Rat).Add(low, high)
		bases = append(bases, middle.Quo(middle, big.NewRat(2, 1)))
	}
	var out []any
	for _, base := range bases {
		out = append(out, near(base, step)...)
	}
	return out
}

// one is the step of whole numbers that are multiples of step: its numerator, for
// that is the smallest whole multiple there is.
func one(step *big.Rat) *big.Rat {
	if step == nil {
		return big.NewRat(1, 1)
	}
	return new(big.Rat).SetInt(step.Num())
}

// near lists the base, moved up to a multiple of the step where there is one, and
// its neighbours.
func near(base, step *big.Rat) []any {
	if step == nil || step.Sign() <= 0 {
		step = big.NewRat(1, 1)
	} else {
		times := new(big.Rat).Quo(base, step)
		up := new(big.Int).Neg(new(big.Int).Div(new(big.Int).Neg(times.Num()), times.Denom()))
		base = new(big.Rat).Mul(new(big.Rat).SetInt(up), step)
	}
	var out []any
	for _, n := range []*big.Rat{base, new(big.Rat).Add(base, step), new(big.Rat).Sub(base, step)} {
		if digits, exact := n.FloatPrec(); exact && digits <= 20 {
			out = append(out, json.Number(n.FloatString(digits)))
		}
	}
	return out
}

// number returns the value of the first of the keywords that a schema of the shape
// has as a number; nil when none does. The validator sees to the others.
func (s shape) number(keywords ...string) *big.Rat {
	for _, keyword := range keywords {
		for _, one := range s {
			text, _ := one[keyword].(json.Number)
			if f, err := text.Float64(); err != nil || math.Abs(f) > 1e18 || f != 0 && math.Abs(f) < 1e-18 {
				continue // no tool means this, and its digits would fill the memory
			}
			if n, ok := new(big.Rat).SetString(string(text)); ok {
				return n
			}
		}
	}
	return nil
}
