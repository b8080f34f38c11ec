package main

import (
	"context"
	"errors"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func carryOut(asked order, done *got) error {
	client := openai.NewClient(option.WithBaseURL(asked.BaseUrl), option.WithAPIKey(asked.ApiKey))
	messages := []openai.ChatCompletionMessageParamUnion{openai.UserMessage(asked.Prompt)}
	body := openai.ChatCompletionNewParams{Model: asked.Model, Messages: messages}
	switch asked.Do {
	case "list":
		page, err := client.Models.List(context.Background())
		if err != nil {
			return err
		}
		for _, model := range page.Data {
			done.Models = append(done.Models, model.ID)
		}
		return nil
	case "create":
		reply, err := client.Chat.Completions.New(context.Background(), body)
		if err == nil {
			done.Text = reply.Choices[0].Message.Content
		}
		return err
	}
	stream := client.Chat.Completions.NewStreaming(context.Background(), body)
	defer stream.Close()
	for stream.Next() {
		for _, choice := range stream.Current().Choices {
			if !done.add(asked, choice.Delta.Content) {
				return nil
			}
		}
	}
	return stream.Err()
}

func statusOf(err error) int {
	var answer *openai.Error
	if errors.As(err, &answer) {
		return answer.StatusCode
	}
	return 0
}
