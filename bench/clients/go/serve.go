package main

import (
	"bufio"
	"encoding/json"
	"os"
)

type order struct{ Do, BaseUrl, ApiKey, Model, Prompt string }

type got struct {
	Models []string `json:"models,omitempty"`
	Text   string   `json:"text"`
	Pieces int      `json:"pieces"`
	Error  string   `json:"error,omitempty"`
	Status int      `json:"status,omitempty"`
}

// add returns false when the stream is to be left.
func (done *got) add(asked order, piece string) bool {
	if piece != "" {
		done.Text += piece
		done.Pieces++
	}
	return piece == "" || asked.Do != "abort"
}

// main carries out orders from standard input with a library.
func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var asked order
		var done got
		json.Unmarshal(lines.Bytes(), &asked)
		if err := carryOut(asked, &done); err != nil {
			done.Error = err.Error()
			done.Status = statusOf(err)
		}
		json.NewEncoder(os.Stdout).Encode(done)
	}
}
